// report/progress.cc: what fits into a line, and when it is written.
#include "report/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/json_text.h"
#include "report/text_table.h"

namespace godwit {
namespace {

constexpr int kColumnsDefault = 80;
constexpr int kBarMin = 8;
constexpr int kBarMax = 40;
constexpr const char* kClearLine = "\r\x1b[K";

int width_of(std::string_view text) {
  return static_cast<int>(text_width(text));
}

double clamped_share(double share) {
  return std::isnan(share) ? 0 : std::clamp(share, 0.0, 1.0);
}

std::string short_number(double value) {
  constexpr std::pair<double, const char*> kScales[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}};
  for (const auto& [scale, letter] : kScales) {
    if (std::abs(value) >= scale) return fmt::format("{:.3g}{}", value / scale, letter);
  }
  return fmt::format("{:.3g}", value);
}

// A part of a line; the larger the rank, the sooner it goes when there is no room.
struct Piece {
  int rank;
  std::string text;
};

std::vector<Piece> pieces_of(const ProgressState& state, double elapsed, double left) {
  std::vector<Piece> pieces;
  const auto add = [&](int rank, bool known, auto text) {
    if (known) pieces.push_back({rank, text()});
  };
  add(4, !state.stage.empty(), [&] { return state.stage; });
  add(5, std::isfinite(state.rate),
      [&] { return fmt::format("{} {}", short_number(state.rate), state.rate_unit); });
  add(2, std::isfinite(state.loss), [&] { return fmt::format("loss {:.4g}", state.loss); });
  add(1, std::isfinite(state.quality),
      [&] { return fmt::format("{} {:.4g}", state.quality_name, state.quality); });
  add(6, std::isfinite(state.local_share),
      [&] { return fmt::format("local {:.1f}%", 100 * state.local_share); });
  // At the end what it took is worth more than that nothing is left.
  const bool finished = state.done >= 1;
  add(3, !finished && std::isfinite(left),
      [&] { return fmt::format("ETA {}", duration_text(left)); });
  add(3, finished, [&] { return fmt::format("in {}", duration_text(elapsed)); });
  return pieces;
}

std::string joined(const std::vector<Piece>& pieces) {
  std::string text;
  for (const Piece& piece : pieces) text.append("  ").append(piece.text);
  return text;
}

std::string bar_of(double share, int width, bool unicode) {
  const auto repeat = [](std::string_view piece, int times) {
    std::string text;
    for (int i = 0; i < times; ++i) text += piece;
    return text;
  };
  if (!unicode) {
    const int full = static_cast<int>(share * (width - 2));
    return fmt::format("[{}{}]", repeat("=", full), repeat(" ", width - 2 - full));
  }
  // Halves of a column, so that slow progress is seen to move.
  const int halves = static_cast<int>(share * 2 * width);
  std::string text = repeat("━", halves / 2);
  if (halves % 2 == 1) text += "╸";
  return text + repeat("┄", width - halves / 2 - halves % 2);
}

std::string percent_of(const ProgressState& state) {
  // Rounded down: 100 % is said when it is done.
  return fmt::format("{:3.0f}%", std::floor(100 * clamped_share(state.done)));
}

}  // namespace

ProgressStyle progress_style(bool is_terminal, bool quiet, bool json) {
  if (quiet) return ProgressStyle::kQuiet;
  if (json) return ProgressStyle::kJson;
  return is_terminal ? ProgressStyle::kBar : ProgressStyle::kLines;
}

std::string duration_text(double seconds) {
  if (!(seconds >= 0) || seconds > 1e12) return "?";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  const std::int64_t minutes = whole / 60;
  const std::int64_t hours = minutes / 60;
  if (minutes == 0) return fmt::format("{} s", whole);
  if (hours == 0) return fmt::format("{} min {:02} s", minutes, whole % 60);
  if (hours < 48) return fmt::format("{} h {:02} min", hours, minutes % 60);
  return fmt::format("{} d {} h", hours / 24, hours % 24);
}

std::string progress_bar(const ProgressState& state, double elapsed, double left, int columns,
                         bool unicode) {
  std::vector<Piece> pieces = pieces_of(state, elapsed, left);
  const std::string percent = percent_of(state);
  const auto room = [&] { return columns - width_of(percent) - 1 - width_of(joined(pieces)); };
  while (!pieces.empty() && room() < kBarMin) {
    pieces.erase(std::ranges::max_element(pieces, {}, &Piece::rank));
  }
  if (columns < width_of(percent)) return "";
  if (room() < kBarMin) return percent;
  const int width = std::min(room(), kBarMax);
  return fmt::format("{} {}{}", percent, bar_of(clamped_share(state.done), width, unicode),
                     joined(pieces));
}

std::string progress_text(const ProgressState& state, double elapsed, double left) {
  return fmt::format("{}  {:>10}{}", percent_of(state), duration_text(elapsed),
                     joined(pieces_of(state, elapsed, left)));
}

std::string progress_json(const ProgressState& state, double elapsed, double left) {
  JsonText json;
  json.begin_object().field("event", "progress").field("seconds", elapsed);
  json.field("done", state.done);
  if (!state.stage.empty()) json.field("stage", state.stage);
  const auto add = [&](const char* name, double value) {
    if (std::isfinite(value)) json.field(name, value);
  };
  add("seconds_left", left);
  if (std::isfinite(state.rate)) {
    json.field("rate", state.rate).field("rate_unit", state.rate_unit);
  }
  add("loss", state.loss);
  if (std::isfinite(state.quality)) {
    json.field("quality", state.quality).field("quality_name", state.quality_name);
  }
  add("local_share", state.local_share);
  return json.end_object().take();
}

Progress::Progress(std::ostream& out, const TimeSource& time, ProgressOptions options)
    : out_(out), time_(time), options_(std::move(options)), begin_(time.now()) {}

Progress::~Progress() {
  if (bar_there_) out_ << "\n" << std::flush;
}

void Progress::show(const ProgressState& state) {
  if (options_.style == ProgressStyle::kQuiet || finished_) return;
  const Time now = time_.now();
  if (!state_) {
    first_at_ = now;
    first_done_ = clamped_share(state.done);
  }
  state_ = state;
  state_drawn_ = false;
  const bool is_bar = options_.style == ProgressStyle::kBar;
  // The last line is finish()'s: what is measured at the end belongs into it.
  if (state.done >= 1 && !is_bar) return;
  const Duration every = is_bar ? options_.redraw_every : options_.line_every;
  if (!drawn_at_ || now - *drawn_at_ >= every) draw(now);
}

double Progress::left(Time now) const {
  const double done = clamped_share(state_->done) - first_done_;
  const double spent = std::chrono::duration<double>(now - first_at_).count();
  if (done <= 0 || spent <= 0) return ProgressState::kUnknown;
  return spent * (1 - clamped_share(state_->done)) / done;
}

void Progress::draw(Time now) {
  const double elapsed = std::chrono::duration<double>(now - begin_).count();
  switch (options_.style) {
    case ProgressStyle::kQuiet:
      return;
    case ProgressStyle::kJson:
      out_ << progress_json(*state_, elapsed, left(now)) << "\n";
      break;
    case ProgressStyle::kLines:
      out_ << progress_text(*state_, elapsed, left(now)) << "\n";
      break;
    case ProgressStyle::kBar: {
      const int told = options_.columns ? options_.columns() : kColumnsDefault;
      const int columns = told > 0 ? told : kColumnsDefault;
      // The last column stays free: some terminals begin a new line once it is filled.
      out_ << "\r" << progress_bar(*state_, elapsed, left(now), columns - 1, options_.unicode)
           << "\x1b[K";
      bar_there_ = true;
      break;
    }
  }
  out_ << std::flush;
  drawn_at_ = now;
  state_drawn_ = true;
}

void Progress::message(std::string_view line) {
  if (options_.style == ProgressStyle::kQuiet || options_.style == ProgressStyle::kJson) return;
  const bool redraw = bar_there_;
  clear();
  out_ << line << "\n" << std::flush;
  if (redraw) draw(time_.now());
}

void Progress::finish() {
  if (finished_) return;
  finished_ = true;
  if (state_ && (!state_drawn_ || options_.style == ProgressStyle::kBar)) draw(time_.now());
  if (bar_there_) out_ << "\n" << std::flush;
  bar_there_ = false;
}

void Progress::clear() {
  if (!bar_there_) return;
  out_ << kClearLine << std::flush;
  bar_there_ = false;
}

}  // namespace godwit
