// group/inproc_group.cc: the second of two ranks to come, sender or receiver, copies the bytes.
#include "group/inproc_group.h"

#include <fmt/format.h>

#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "base/check.h"
#include "base/mutex.h"
#include "group/scratch.h"
#include "group/shared_exchanger.h"

namespace godwit {
namespace {

struct State {
  struct Begun {
    bool is_done = false;
    bool is_send = false;
    int peer = 0;
    std::byte* bytes = nullptr;
    std::size_t length = 0;
  };
  struct Pair {  // of a sender and a receiver: the transfers that nobody met yet
    std::deque<Begun*> sends;
    std::deque<Begun*> receives;
  };

  explicit State(int ranks) : size(ranks), pairs(static_cast<std::size_t>(ranks * ranks)) {}

  Pair& pair(int from, int to) GODWIT_REQUIRES(mutex) {
    return pairs[static_cast<std::size_t>(from * size + to)];
  }

  const int size;
  Mutex mutex;
  CondVar changed;
  std::vector<Pair> pairs GODWIT_GUARDED_BY(mutex);
  std::optional<std::pair<int, Error>> given_up GODWIT_GUARDED_BY(mutex);
};

class InprocExchanger final : public Exchanger {
 public:
  InprocExchanger(std::shared_ptr<State> state, int rank) : state_(std::move(state)), rank_(rank) {}
  ~InprocExchanger() override {
    if (is_amid_call()) abandon(aborted("its group was closed amid a call"));
  }
  InprocExchanger(const InprocExchanger&) = delete;
  InprocExchanger& operator=(const InprocExchanger&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return state_->size; }

  Result<Transfer> send(int peer, std::span<const std::byte> bytes) override {
    // Never written to: a receive copies from it.
    return begin(peer, true, const_cast<std::byte*>(bytes.data()), bytes.size());
  }
  Result<Transfer> receive(int peer, std::span<std::byte> bytes) override {
    return begin(peer, false, bytes.data(), bytes.size());
  }

  Result<> wait(Transfer transfer, Time deadline) override {
    MutexLock lock(state_->mutex);
    const State::Begun& begun = *begun_[transfer];
    const bool in_time =
        state_->changed.wait_until(lock, deadline, [&]() GODWIT_REQUIRES(state_->mutex) {
          return begun.is_done || state_->given_up.has_value();
        });
    if (begun.is_done) {
      begun_[transfer] = nullptr;
      free_.push_back(transfer);
      return {};
    }
    if (!in_time) {
      return timeout("rank {} does not {}", begun.peer, begun.is_send ? "receive" : "send");
    }
    return aborted("rank {} gave up: {}", state_->given_up->first,
                   state_->given_up->second.message());
  }

  // Transfers of this rank that others may still meet are taken back: their memory is the caller's.
  void abandon(const Error& why) override {
    MutexLock lock(state_->mutex);
    if (!state_->given_up) state_->given_up.emplace(rank_, why);
    for (int peer = 0; peer < state_->size; ++peer) {
      state_->pair(rank_, peer).sends.clear();
      state_->pair(peer, rank_).receives.clear();
    }
    state_->changed.notify_all();
  }

 private:
  bool is_amid_call() const {
    MutexLock lock(state_->mutex);
    for (const auto& begun : begun_) {
      if (begun != nullptr && !begun->is_done) return true;
    }
    return false;
  }

  Result<Transfer> begin(int peer, bool is_send, std::byte* bytes, std::size_t length) {
    GODWIT_CHECK(peer != rank_ && 0 <= peer && peer < size() && length > 0);
    MutexLock lock(state_->mutex);
    if (state_->given_up) {
      return aborted("rank {} gave up: {}", state_->given_up->first,
                     state_->given_up->second.message());
    }
    const Transfer transfer = take_slot();
    begun_[transfer] = std::make_unique<State::Begun>(
        State::Begun{.is_send = is_send, .peer = peer, .bytes = bytes, .length = length});
    State::Pair& pair = is_send ? state_->pair(rank_, peer) : state_->pair(peer, rank_);
    auto& ours = is_send ? pair.sends : pair.receives;
    auto& theirs = is_send ? pair.receives : pair.sends;
    if (theirs.empty()) {
      ours.push_back(begun_[transfer].get());
      return transfer;
    }
    State::Begun& met = *theirs.front();
    if (met.length != length) {
      return aborted("rank {} {} {} bytes where {} are meant: it is at another call", peer,
                     is_send ? "expects" : "sends", met.length, length);
    }
    theirs.pop_front();
    std::memcpy(is_send ? met.bytes : bytes, is_send ? bytes : met.bytes, length);
    met.is_done = true;
    begun_[transfer]->is_done = true;
    state_->changed.notify_all();
    return transfer;
  }

  Transfer take_slot() {
    if (free_.empty()) {
      begun_.emplace_back();
      return static_cast<Transfer>(begun_.size() - 1);
    }
    const Transfer transfer = free_.back();
    free_.pop_back();
    return transfer;
  }

  const std::shared_ptr<State> state_;
  const int rank_;
  std::vector<std::unique_ptr<State::Begun>> begun_;
  std::vector<Transfer> free_;
};

}  // namespace

std::vector<std::unique_ptr<Exchanger>> make_inproc_exchangers(int size, bool with_views) {
  GODWIT_CHECK_GE(size, 1);
  const auto state = std::make_shared<State>(size);
  std::vector<std::unique_ptr<Exchanger>> all;
  for (int rank = 0; rank < size; ++rank) {
    all.push_back(std::make_unique<InprocExchanger>(state, rank));
  }
  if (!with_views) return all;
  const auto memory = std::make_shared<std::vector<Scratch>>(static_cast<std::size_t>(size));
  std::vector<std::byte*> places;
  for (Scratch& part : *memory) {
    places.push_back(part.take(SharedLinks::memory_bytes(size)).data());
    SharedLinks::clear(places.back(), size);
  }
  for (auto& exchanger : all) {
    exchanger = with_shared_memory(std::move(exchanger), places, memory);
  }
  return all;
}

}  // namespace godwit
