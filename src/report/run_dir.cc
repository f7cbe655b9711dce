// report/run_dir.cc: names, replaced files and the one file that grows.
#include "report/run_dir.h"

#include <fmt/format.h>

#include <cctype>
#include <utility>

#include "base/errors.h"
#include "base/replace_file.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr int kSameNamesMax = 1000;
constexpr std::size_t kDataNameBytesMax = 40;

std::string file_name_of(std::string_view text) {
  while (text.ends_with('/')) text.remove_suffix(1);
  text = text.substr(text.rfind('/') + 1);  // all of it if there is no slash: npos + 1 is 0
  std::string name;
  for (const char c : text.substr(0, kDataNameBytesMax)) {
    const bool fit = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    name += fit ? c : '_';
  }
  return name.empty() ? "_" : name;
}

std::span<const std::byte> bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

Result<std::string> read_text(Disk& disk, const std::string& path) {
  GODWIT_TRY_ASSIGN(const std::vector<std::byte> bytes, disk.read(path));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// Empty if there is no such file.
Result<std::string> read_text_if_there(Disk& disk, const std::string& path) {
  Result<std::string> text = read_text(disk, path);
  if (!text.ok() && text.error().code() == ErrorCode::kNotFound) return std::string();
  return text;
}

// The link gets its name by a rename, so that others see the old run or the new one.
Result<> point_latest(Disk& disk, const std::string& runs, const std::string& name) {
  const std::string temporary = fmt::format("{}/.latest-{}", runs, name);
  GODWIT_TRY(disk.make_link(name, temporary));
  if (Result<> renamed = disk.rename(temporary, runs + "/latest"); !renamed.ok()) {
    (void)disk.remove(temporary);
    return renamed;
  }
  return disk.sync_dir(runs);
}

// Where a run may be: the path of the directory itself.
Result<std::string> find_run(Disk& disk, const std::string& runs, const std::string& run) {
  if (run == "latest") {
    const std::string link = runs + "/latest";
    Result<std::string> target = disk.read_link(link);
    if (!target.ok() && target.error().code() == ErrorCode::kNotFound) {
      return not_found("there is no run in '{}' yet: '{}' does not exist", runs, link);
    }
    GODWIT_TRY_ASSIGN(const std::string name, std::move(target));
    const std::string path = name.starts_with('/') ? name : runs + "/" + name;
    if (disk.list(path).ok()) return path;
    return not_found("'{}' means '{}', which is gone", link, path);
  }
  const std::string inside = runs + "/" + run;
  if (run.find('/') == std::string::npos && !run.empty() && disk.list(inside).ok()) return inside;
  if (disk.list(run).ok()) return run;
  return not_found("there is no run '{}', neither as a path nor in '{}'", run, runs);
}

Result<> read_metrics(const std::string& text, const std::string& path, RunFiles& files) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) continue;
    Result<MetricLine> parsed = parse_metric_line(line);
    // A line that is torn lacks at least its last brace, so it never reads as a whole one.
    if (!parsed.ok()) ++files.torn_lines;
    if (parsed.ok()) files.metrics.push_back(std::move(parsed).value());
  }
  if (files.metrics.empty() && files.torn_lines > 0) {
    return corruption("'{}' holds no line of metrics but {} others", path, files.torn_lines);
  }
  if (begin < text.size()) ++files.torn_lines;
  return {};
}

}  // namespace

std::string run_name(const std::tm& when, std::string_view task, std::string_view data) {
  return fmt::format("{:04}{:02}{:02}-{:02}{:02}{:02}-{}-{}", when.tm_year + 1900, when.tm_mon + 1,
                     when.tm_mday, when.tm_hour, when.tm_min, when.tm_sec, file_name_of(task),
                     file_name_of(data));
}

RunDir::RunDir(Disk& disk, std::string path, std::unique_ptr<DiskFile> metrics, bool line_torn)
    : disk_(&disk), path_(std::move(path)), metrics_(std::move(metrics)), line_torn_(line_torn) {}

Result<RunDir> RunDir::make(Disk& disk, const std::string& runs, const std::string& name) {
  GODWIT_TRY(disk.make_dirs(runs));
  std::string taken = name;
  for (int count = 2;; ++count) {
    GODWIT_TRY_ASSIGN(const bool made, disk.make_new_dir(fmt::format("{}/{}", runs, taken)));
    if (made) break;
    if (count > kSameNamesMax) return unavailable("'{}/{}' and so on are taken", runs, name);
    taken = fmt::format("{}-{}", name, count);
  }
  GODWIT_TRY_ASSIGN(RunDir run, reopen(disk, runs + "/" + taken));
  GODWIT_TRY(point_latest(disk, runs, taken));
  return run;
}

Result<RunDir> RunDir::make_at(Disk& disk, const std::string& path) {
  const std::string trimmed = path.substr(0, path.find_last_not_of('/') + 1);
  const auto slash = trimmed.rfind('/');
  const std::string parent = slash == std::string::npos ? "." : trimmed.substr(0, slash + 1);
  GODWIT_TRY(disk.make_dirs(parent));
  GODWIT_TRY_ASSIGN(const bool made, disk.make_new_dir(trimmed));
  if (!made) {
    return invalid_argument("'{}' is there already: --resume goes on in it", path);
  }
  GODWIT_TRY_ASSIGN(RunDir run, reopen(disk, trimmed));
  if (parent == "runs/") GODWIT_TRY(point_latest(disk, "runs", trimmed.substr(slash + 1)));
  return run;
}

Result<RunDir> RunDir::reopen(Disk& disk, const std::string& path) {
  GODWIT_TRY(disk.make_dirs(path + "/log"));
  GODWIT_TRY(disk.make_dirs(path + "/ckpt"));
  const std::string metrics = path + "/metrics.jsonl";
  GODWIT_TRY_ASSIGN(const std::string text, read_text_if_there(disk, metrics));
  GODWIT_TRY_ASSIGN(std::unique_ptr<DiskFile> file, disk.open_append(metrics));
  GODWIT_TRY(disk.sync_dir(path));
  return RunDir(disk, path, std::move(file), !text.empty() && text.back() != '\n');
}

Result<> RunDir::write_config(std::string_view toml) {
  return replace_file(*disk_, path_ + "/config.toml", toml);
}

Result<> RunDir::write_environment(std::string_view json) {
  return replace_file(*disk_, path_ + "/env.json", json);
}

Result<> RunDir::write_report(std::string_view html) {
  return replace_file(*disk_, path_ + "/report.html", html);
}

Result<> RunDir::append_to(const std::string& file, std::string_view header,
                           std::string_view text) {
  const std::string path = path_ + "/" + file;
  const auto known = disk_->size(path);
  const std::uint64_t size = known.ok() ? *known : 0;
  std::byte last{'\n'};
  if (size > 0) GODWIT_TRY(disk_->read_range(path, size - 1, {&last, 1}));
  GODWIT_TRY_ASSIGN(std::unique_ptr<DiskFile> opened, disk_->open_append(path));
  if (size == 0) GODWIT_TRY(opened->append(bytes_of(header)));
  if (last != std::byte{'\n'}) GODWIT_TRY(opened->append(bytes_of("\n")));
  return opened->append(bytes_of(text));
}

Result<> RunDir::append(const MetricLine& line) {
  const std::string text = fmt::format("{}{}\n", line_torn_ ? "\n" : "", line.to_json());
  line_torn_ = true;
  GODWIT_TRY(metrics_->append(bytes_of(text)));
  line_torn_ = false;
  return {};
}

Result<> RunDir::sync() {
  return metrics_->sync();
}

Result<RunFiles> open_run(Disk& disk, const std::string& runs, const std::string& run) {
  RunFiles files;
  GODWIT_TRY_ASSIGN(files.path, find_run(disk, runs, run));
  const std::string metrics = files.path + "/metrics.jsonl";
  Result<std::string> text = read_text(disk, metrics);
  if (!text.ok() && text.error().code() == ErrorCode::kNotFound) {
    return invalid_argument("'{}' is not the directory of a run: it has no metrics.jsonl",
                            files.path);
  }
  GODWIT_TRY_ASSIGN(const std::string content, std::move(text));
  GODWIT_TRY(read_metrics(content, metrics, files));
  GODWIT_TRY_ASSIGN(files.config, read_text_if_there(disk, files.path + "/config.toml"));
  GODWIT_TRY_ASSIGN(files.environment, read_text_if_there(disk, files.path + "/env.json"));
  files.has_report = disk.size(files.path + "/report.html").ok();
  return files;
}

}  // namespace godwit
