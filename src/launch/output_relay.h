// launch/output_relay.h: what started processes write, on its way to the terminal (as tagged
// lines), to their logs and into memory for a report. Never blocks. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/disk.h"
#include "base/unique_fd.h"
#include "launch/child_process.h"
#include "launch/line_tagger.h"
#include "launch/output_queue.h"

namespace godwit {

// One source of output: its name, its last lines and its log.
struct Speaker {
  // `name` is for messages, such as "node 3"; `tag` goes in front of each line.
  Speaker(std::string called, const LineTag& tag);
  Speaker(const Speaker&) = delete;
  Speaker& operator=(const Speaker&) = delete;

  const std::string name;
  LastLines last_lines;
  LineTagger out_tagger;
  LineTagger err_tagger;
  std::unique_ptr<DiskFile> log;  // null: none
  std::string log_path;
};

class OutputRelay {
 public:
  // The descriptors are borrowed. `is_quiet` leaves the speakers' lines out.
  OutputRelay(int out_fd, int err_fd, bool is_quiet)
      : out_(out_fd), err_(err_fd), is_quiet_(is_quiet) {}

  OutputQueue& out() { return out_; }
  OutputQueue& err() { return err_; }
  bool is_written() const { return out_.pending() == 0 && err_.pending() == 0; }
  // False while so much waits for a slow reader that pipes are better left to fill up.
  bool takes_more() const;

  // What the process has written to its output or its errors so far; the pipe is closed at its end.
  void take_out(Speaker& speaker, ChildProcess& process);
  void take_err(Speaker& speaker, ChildProcess& process);
  // Takes what is left in the pipes and closes them; who else may hold their other end is not
  // waited for.
  void drain(Speaker& speaker, ChildProcess& process);

  // The launcher's own words, with a line end, among the errors.
  void say(std::string_view line);
  // Into the speaker's log. A log that cannot be written is given up, with a word about it.
  void write_log(Speaker& speaker, std::string_view bytes);

 private:
  void take(Speaker& speaker, UniqueFd& pipe, LineTagger& tagger, OutputQueue& queue);
  void take_rest(Speaker& speaker, UniqueFd& pipe, LineTagger& tagger, OutputQueue& queue);

  OutputQueue out_;
  OutputQueue err_;
  const bool is_quiet_;
};

}  // namespace godwit
