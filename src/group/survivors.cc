// group/survivors.cc: marks and a list in a folder; whoever links the list first has made it.
#include "group/survivors.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>

#include "base/errors.h"
#include "base/try.h"
#include "base/unique_fd.h"
#include "net/sockets.h"

namespace godwit {
namespace {

class Meeting {
 public:
  Meeting(const SurvivorsOptions& options, Time deadline)
      : options_(options),
        deadline_(deadline),
        stem_(fmt::format("{}/{}.survivors", options.folder, options.name)) {}

  Result<std::vector<int>> run() {
    // Wakes up whoever waits; where it cannot (some network file systems), looking now and then
    // does.
    watch_ = UniqueFd(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK));
    if (watch_.fd() >= 0) {
      ::inotify_add_watch(watch_.fd(), options_.folder.c_str(), IN_CREATE | IN_MOVED_TO);
    }
    const UniqueFd mark(::open(mark_of(options_.rank).c_str(), O_CREAT | O_CLOEXEC, 0600));
    if (mark.fd() < 0) {
      return unavailable("cannot make {}: {}", mark_of(options_.rank), errno_text(errno));
    }
    while (true) {
      if (auto members = read_list()) return check(*members);
      const Time now = time_.now();
      if (now >= deadline_) {
        return timeout("nobody wrote down who is left of group {}", options_.name);
      }
      GODWIT_TRY_ASSIGN(const Time next, look(now));
      wait_until(std::min(next, deadline_));
    }
  }

 private:
  std::string mark_of(int rank) const { return fmt::format("{}.{}", stem_, rank); }

  std::optional<std::vector<int>> read_list() const {
    std::ifstream file(stem_);
    if (!file) return std::nullopt;
    std::vector<int> members;
    for (int rank = 0; file >> rank;) members.push_back(rank);
    return members;
  }
  Result<std::vector<int>> check(const std::vector<int>& members) const {
    if (std::ranges::find(members, options_.rank) != members.end()) return members;
    return unavailable("the others went on without rank {}: it came too late", options_.rank);
  }

  // Closes the list if it is time; otherwise when to look again.
  Result<Time> look(Time now) {
    std::vector<int> present;
    for (int rank = 0; rank < options_.size; ++rank) {
      if (::access(mark_of(rank).c_str(), F_OK) == 0) present.push_back(rank);
    }
    if (present.size() != seen_) {
      seen_ = present.size();
      since_ = now;
    }
    const bool is_all = seen_ == static_cast<std::size_t>(options_.size);
    const bool is_all_but_one = seen_ + 1 == static_cast<std::size_t>(options_.size);
    Duration settle = is_all           ? Duration(0)
                      : is_all_but_one ? options_.settle / 10
                                       : options_.settle;
    // The lowest closes the list, and if it is gone, too, the next, somewhat later.
    const auto place = std::ranges::find(present, options_.rank) - present.begin();
    settle += place * options_.settle;
    if (now < since_ + settle) return since_ + settle;
    GODWIT_TRY(close_list(present));
    return now;
  }

  Result<> close_list(const std::vector<int>& present) const {
    const std::string draft = fmt::format("{}.by{}", stem_, options_.rank);
    {
      std::ofstream file(draft, std::ios::trunc);
      file << fmt::format("{}\n", fmt::join(present, " "));
      if (!file.flush()) return unavailable("cannot write {}", draft);
    }
    const int linked = ::link(draft.c_str(), stem_.c_str());
    const int error = errno;
    ::unlink(draft.c_str());
    if (linked == 0 || error == EEXIST) return {};
    return unavailable("cannot make {}: {}", stem_, errno_text(error));
  }

  void wait_until(Time until) const {
    constexpr Duration kLookAgain = std::chrono::milliseconds(20);
    const Duration left = std::clamp(Duration(until - time_.now()), Duration(0), kLookAgain);
    const auto ms = std::chrono::ceil<std::chrono::milliseconds>(left).count();
    pollfd wait{.fd = watch_.fd(), .events = POLLIN, .revents = 0};
    if (::poll(&wait, 1, static_cast<int>(ms)) <= 0) return;
    std::array<char, 4096> events{};
    while (::read(watch_.fd(), events.data(), events.size()) > 0) {
    }
  }

  const SurvivorsOptions& options_;
  const Time deadline_;
  const std::string stem_;
  const RealTime time_;
  UniqueFd watch_;
  std::size_t seen_ = 0;
  Time since_{};
};

}  // namespace

Result<std::vector<int>> meet_survivors(const SurvivorsOptions& options, Time deadline) {
  return Meeting(options, deadline).run();
}

}  // namespace godwit
