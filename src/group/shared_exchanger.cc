// group/shared_exchanger.cc: which way a message goes, and waiting for either.
#include "group/shared_exchanger.h"

#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "base/try.h"
#include "group/patience.h"

namespace godwit {
namespace {

class SharedExchanger final : public Exchanger {
 public:
  SharedExchanger(std::unique_ptr<Exchanger> others, std::vector<std::byte*> memory,
                  std::shared_ptr<void> keeper, std::function<bool(int)> is_gone)
      : keeper_(std::move(keeper)),
        is_gone_(std::move(is_gone)),
        others_(std::move(others)),
        links_(others_->rank(), std::move(memory)),
        is_crowded_(links_.local_ranks() > static_cast<int>(std::thread::hardware_concurrency())) {}

  int rank() const override { return others_->rank(); }
  int size() const override { return others_->size(); }

  Result<Transfer> send(int peer, std::span<const std::byte> bytes) override {
    const Transfer transfer = take_slot(peer, true);
    Begun& begun = begun_[transfer];
    if (!links_.carries(peer, bytes.size())) {
      GODWIT_TRY_ASSIGN(begun.other, others_->send(peer, bytes));
      return note_other(transfer);
    }
    // Never written to: it is copied from.
    begun.shared = {const_cast<std::byte*>(bytes.data()), bytes.size()};
    links_.send(peer, begun.shared);
    return transfer;
  }

  Result<Transfer> receive(int peer, std::span<std::byte> bytes) override {
    const Transfer transfer = take_slot(peer, false);
    Begun& begun = begun_[transfer];
    if (!links_.carries(peer, bytes.size())) {
      GODWIT_TRY_ASSIGN(begun.other, others_->receive(peer, bytes));
      return note_other(transfer);
    }
    begun.shared = {bytes.data(), bytes.size()};
    links_.receive(peer, begun.shared);
    return transfer;
  }

  Result<> wait(Transfer transfer, Time deadline) override {
    Begun& begun = begun_[transfer];
    if (begun.is_other) {
      // Nobody would move these while the other exchanger waits.
      GODWIT_TRY(look_until(deadline, begun, [&] { return !links_.has_queued_sends(); }));
      GODWIT_TRY(others_->wait(begun.other, deadline));
      --others_under_way_;
    } else {
      GODWIT_TRY(look_until(deadline, begun, [&] { return begun.shared.is_done; }));
    }
    free_.push_back(transfer);
    return {};
  }

  std::byte* room(int peer, std::size_t bytes) override {
    return links_.carries(peer, bytes) ? links_.room(peer) : nullptr;
  }
  bool has_views(int peer, std::size_t bytes) const override { return links_.carries(peer, bytes); }
  Result<const std::byte*> view(int peer, std::size_t bytes, Time deadline) override {
    const Begun waiting{.peer = peer};
    const std::byte* message = nullptr;
    GODWIT_TRY_ASSIGN(message, links_.front(peer, bytes));
    if (message != nullptr) return message;
    Error wrong = aborted("nothing");
    bool is_wrong = false;
    GODWIT_TRY(look_until(deadline, waiting, [&] {
      auto found = links_.front(peer, bytes);
      is_wrong = !found.ok();
      if (is_wrong) {
        wrong = found.error();
      } else {
        message = *found;
      }
      return is_wrong || message != nullptr;
    }));
    if (is_wrong) return wrong;
    return message;
  }
  void release(int peer) override { links_.pop(peer); }
  void poke() override { others_->poke(); }

  void abandon(const Error& why) override {
    links_.give_up(why);
    others_->abandon(why);
  }
  Result<std::unique_ptr<Exchanger>> shrink(Time deadline) override {
    return others_->shrink(deadline);
  }

 private:
  struct Begun {
    SharedLinks::Begun shared;
    Transfer other = 0;
    bool is_other = false;
    bool is_send = false;
    int peer = 0;
  };

  Transfer take_slot(int peer, bool is_send) {
    if (free_.empty()) {
      begun_.emplace_back();
      free_.push_back(static_cast<Transfer>(begun_.size() - 1));
    }
    const Transfer transfer = free_.back();
    free_.pop_back();
    begun_[transfer] = {.is_send = is_send, .peer = peer};
    return transfer;
  }
  Transfer note_other(Transfer transfer) {
    begun_[transfer].is_other = true;
    ++others_under_way_;
    return transfer;
  }

  bool is_lost(int peer) const {
    return is_gone_ != nullptr && links_.carries(peer, 1) && is_gone_(peer);
  }
  // Of those that must do something before this can end: the one that is waited for, and all that
  // have not taken what was sent to them.
  std::optional<int> lost_rank(const Begun& for_whom) const {
    for (int peer = 0; peer < size(); ++peer) {
      const bool is_needed = peer == for_whom.peer || links_.has_queued_sends(peer);
      if (is_needed && is_lost(peer)) return peer;
    }
    return std::nullopt;
  }
  Error too_late(const Begun& for_whom) const {
    for (int peer = 0; for_whom.is_other && peer < size(); ++peer) {
      if (links_.has_queued_sends(peer)) return timeout("rank {} does not receive", peer);
    }
    return timeout("rank {} does not {}", for_whom.peer, for_whom.is_send ? "receive" : "send");
  }

  template <class Done>
  Result<> look_until(Time deadline, const Begun& for_whom, Done&& is_done) {
    if (is_done()) return {};
    Patience patience(time_, deadline, is_crowded_);
    while (true) {
      GODWIT_TRY(links_.progress());
      if (is_done()) return {};
      if (patience.is_round()) {
        GODWIT_TRY(links_.check_others());
        if (others_under_way_ > 0) others_->poke();
      }
      if (patience.is_long_round()) {
        if (const auto lost = lost_rank(for_whom)) {
          // Its last words may have come since.
          GODWIT_TRY(links_.progress());
          if (is_done()) return {};
          return unavailable("rank {} is gone", *lost);
        }
      }
      if (!patience.goes_on()) return too_late(for_whom);
    }
  }

  const RealTime time_;
  const std::shared_ptr<void> keeper_;  // destroyed last
  const std::function<bool(int)> is_gone_;
  const std::unique_ptr<Exchanger> others_;
  SharedLinks links_;
  const bool is_crowded_;
  std::deque<Begun> begun_;  // which stay where they are
  std::vector<Transfer> free_;
  int others_under_way_ = 0;
};

}  // namespace

std::unique_ptr<Exchanger> with_shared_memory(std::unique_ptr<Exchanger> others,
                                              std::vector<std::byte*> memory,
                                              std::shared_ptr<void> keeper,
                                              std::function<bool(int)> is_gone) {
  return std::make_unique<SharedExchanger>(std::move(others), std::move(memory), std::move(keeper),
                                           std::move(is_gone));
}

}  // namespace godwit
