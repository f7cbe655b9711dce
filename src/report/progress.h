// report/progress.h: the progress of a long run on a stream: a bar on a terminal, lines on a pipe,
// JSON for programs. A Progress is owned by one thread; the functions are pure.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "base/time_source.h"

namespace godwit {

enum class ProgressStyle { kBar, kLines, kJson, kQuiet };

// --quiet wins over --json, both over what the stream is.
ProgressStyle progress_style(bool is_terminal, bool quiet, bool json);

// What is known now; NaN or empty: not known, not shown.
struct ProgressState {
  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  double done = 0;    // share of all work, 0 to 1
  std::string stage;  // "epoch 3/10"
  double rate = kUnknown;
  std::string rate_unit = "examples/s";
  double loss = kUnknown;
  double quality = kUnknown;
  std::string quality_name = "quality";
  double local_share = kUnknown;  // 0 to 1
};

// Pieces of text; `elapsed` and `left` in seconds, `left` NaN while it is not known.
// At most `columns` wide, no line end; what matters least goes first when there is no room.
std::string progress_bar(const ProgressState& state, double elapsed, double left, int columns,
                         bool unicode);
std::string progress_text(const ProgressState& state, double elapsed, double left);
std::string progress_json(const ProgressState& state, double elapsed, double left);
// "8 s", "1 min 30 s", "2 h 05 min", "3 d 4 h".
std::string duration_text(double seconds);

struct ProgressOptions {
  ProgressStyle style = ProgressStyle::kLines;
  // Asked at each redraw, since a window changes its size. Unset, or <= 0: 80.
  std::function<int()> columns = nullptr;
  bool unicode = true;  // a bar of line pieces instead of '=' signs
  Duration redraw_every = std::chrono::milliseconds(100);
  Duration line_every = std::chrono::seconds(5);  // for lines and JSON
};

class Progress {
 public:
  // Both must outlive this.
  Progress(std::ostream& out, const TimeSource& time, ProgressOptions options);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  // Ends the line of a bar that is still there, so that what follows begins a new one.
  ~Progress();

  // Shows the state if the last one is long enough ago; the time left is guessed from the share
  // done since the first call. Lines and JSON leave a state that is all done to finish().
  void show(const ProgressState& state);
  // One line of text above the bar; on a pipe just a line. Nothing if quiet or JSON.
  void message(std::string_view line);
  // Shows the last state whatever the time, and leaves it there. Nothing may be called after it but
  // clear(), which does nothing then.
  void finish();
  // Takes the bar away; show() brings it back.
  void clear();

 private:
  void draw(Time now);
  double left(Time now) const;

  std::ostream& out_;
  const TimeSource& time_;
  const ProgressOptions options_;
  const Time begin_;
  std::optional<ProgressState> state_;
  Time first_at_;  // of the first state, with its share done
  double first_done_ = 0;
  std::optional<Time> drawn_at_;
  bool state_drawn_ = false;  // the newest state is on the stream
  bool bar_there_ = false;
  bool finished_ = false;
};

}  // namespace godwit
