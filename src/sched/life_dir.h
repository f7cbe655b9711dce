// sched/life_dir.h: the directory of one life (incarnation) of a job, through which the daemon and
// whoever runs the job talk: files are there or not, so nothing is lost when either is killed, and
// saying something twice is saying it once. The directory may be on another host's disk.
// Thread-safe: no state.
//
// | file  | written by            | means                                                         |
// |-------|-----------------------|---------------------------------------------------------------|
// | spec  | daemon                | what to run                                                   |
// | claim | the first to come     | this life has begun, by that process; or it never will        |
// | stop  | daemon                | save and end                                                  |
// | kill  | daemon                | end now                                                       |
// | exit  | who holds the claim   | it has ended: code and words; no process is left              |
// | out   | the job               | what it says                                                  |
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/disk.h"
#include "godwit/result.h"
#include "launch/environment.h"

namespace godwit {

// A process of a job.
struct LifeProcess {
  std::vector<std::string> command;
  Environment environment;  // beyond that of who runs it
};

struct LifeSpec {
  std::string job;  // GODWIT_JOB of all processes
  std::string cwd;
  std::string new_run;  // what has this name when the life begins is put aside; may be empty
  std::vector<LifeProcess> processes;
  std::vector<std::string> stop_command;  // how to ask for the end; empty: SIGTERM to all

  std::string to_json() const;
  // kCorruption if it is not of to_json().
  static Result<LifeSpec> parse(std::string_view json);
};

// Who runs a life. A process is told from later ones of its number by its start and the boot.
struct LifeClaim {
  std::int64_t pid = 0;  // 0: nobody, and nobody ever will
  std::int64_t start = 0;
  std::string boot;
  std::string host;

  bool is_void() const { return pid == 0; }
};
LifeClaim claim_of_this_process();
// Whether that process is there. REQUIRES: it was or is on this host.
bool is_alive(const LifeClaim& claim);

struct LifeExit {
  int code = 0;
  std::string text;
};

class LifeDir {
 public:
  LifeDir(Disk& disk, std::string path) : disk_(&disk), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string file(const char* name) const { return path_ + "/" + name; }

  // Makes the directory if need be. The spec of a life never changes.
  Result<> write_spec(const LifeSpec& spec);
  Result<LifeSpec> read_spec() const;

  // True for one caller ever, of all processes.
  Result<bool> claim(const LifeClaim& claim);
  // Nothing if there is none.
  Result<std::optional<LifeClaim>> read_claim() const;

  Result<> ask(const char* name);  // "stop" or "kill"
  bool is_asked(const char* name) const;

  Result<> write_exit(const LifeExit& exit);
  Result<std::optional<LifeExit>> read_exit() const;

 private:
  Result<std::optional<std::string>> read_text(const char* name) const;

  Disk* disk_;
  std::string path_;
};

}  // namespace godwit
