// group/gloo_group.cc: messages of gloo, whose exceptions end here.
#include "group/gloo_group.h"

#include <fmt/format.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/transport/tcp/device.h>
#include <gloo/transport/unbound_buffer.h>

#include <algorithm>
#include <exception>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/try.h"
#include "group/survivors.h"

namespace godwit {
namespace {

using std::chrono::milliseconds;

// At least 1: gloo takes 0 for "for ever".
milliseconds ms_until(Time deadline, Time now) {
  return std::max(milliseconds(1), std::chrono::ceil<milliseconds>(Duration(deadline - now)));
}

class GlooExchanger final : public Exchanger {
 public:
  GlooExchanger(GlooOptions options, std::shared_ptr<gloo::rendezvous::Context> context)
      : options_(std::move(options)),
        context_(std::move(context)),
        next_sends_(static_cast<std::size_t>(options_.size)),
        next_receives_(static_cast<std::size_t>(options_.size)) {}

  int rank() const override { return options_.rank; }
  int size() const override { return options_.size; }
  // A message longer than its buffer would end the process.
  bool is_length_checked() const override { return false; }

  Result<Transfer> send(int peer, std::span<const std::byte> bytes) override {
    // gloo does not write to what it sends.
    auto* from = const_cast<std::byte*>(bytes.data());
    return begin(peer, true, from, bytes.size());
  }
  Result<Transfer> receive(int peer, std::span<std::byte> bytes) override {
    return begin(peer, false, bytes.data(), bytes.size());
  }

  Result<> wait(Transfer transfer, Time deadline) override {
    Begun& begun = begun_[transfer];
    const char* what = begun.is_send ? "receive" : "send";
    try {
      const milliseconds left = ms_until(deadline, time_.now());
      const bool is_done =
          begun.is_send ? begun.buffer->waitSend(left) : begun.buffer->waitRecv(left);
      if (!is_done) return aborted("the exchange with rank {} was given up", begun.peer);
    } catch (const std::exception& error) {
      if (time_.now() >= deadline) return timeout("rank {} does not {}", begun.peer, what);
      return lost(begun.peer, error);
    }
    begun.buffer.reset();
    free_.push_back(transfer);
    return {};
  }

  void abandon(const Error&) override {
    try {
      if (context_ != nullptr) context_->closeConnections();
    } catch (const std::exception&) {
      // They are closed already: that is what is wanted.
    }
  }

  Result<std::unique_ptr<Exchanger>> shrink(Time deadline) override {
    abandon(aborted("shrinking"));
    begun_.clear();
    context_.reset();
    GODWIT_TRY_ASSIGN(const std::vector<int> left, meet_survivors({.folder = options_.folder,
                                                                   .name = options_.name,
                                                                   .rank = options_.rank,
                                                                   .size = options_.size,
                                                                   .settle = options_.settle},
                                                                  deadline));
    GlooOptions smaller = options_;
    smaller.name += "+";
    smaller.rank = static_cast<int>(std::ranges::find(left, options_.rank) - left.begin());
    smaller.size = static_cast<int>(left.size());
    smaller.wait_max = std::max(Duration(milliseconds(1)), Duration(deadline - time_.now()));
    return make_gloo_exchanger(smaller);
  }

 private:
  struct Begun {
    std::unique_ptr<gloo::transport::UnboundBuffer> buffer;
    int peer = 0;
    bool is_send = false;
  };

  static Error lost(int peer, const std::exception& error) {
    return unavailable("rank {} is gone, or gave up: {}", peer, error.what());
  }

  Result<Transfer> begin(int peer, bool is_send, std::byte* bytes, std::size_t length) {
    GODWIT_CHECK(peer != rank() && 0 <= peer && peer < size() && length > 0);
    if (context_ == nullptr) return unavailable("this group is over");
    const auto at = static_cast<std::size_t>(peer);
    try {
      auto buffer = context_->createUnboundBuffer(bytes, length);
      // The n-th of each direction has the slot n on both sides.
      if (is_send) {
        buffer->send(peer, next_sends_[at]++);
      } else {
        buffer->recv(peer, next_receives_[at]++);
      }
      if (free_.empty()) {
        begun_.emplace_back();
        free_.push_back(static_cast<Transfer>(begun_.size() - 1));
      }
      const Transfer transfer = free_.back();
      free_.pop_back();
      begun_[transfer] = {std::move(buffer), peer, is_send};
      return transfer;
    } catch (const std::exception& error) {
      return lost(peer, error);
    }
  }

  const GlooOptions options_;
  const RealTime time_;
  std::shared_ptr<gloo::rendezvous::Context> context_;  // null in a group of one
  std::vector<Begun> begun_;
  std::vector<Transfer> free_;
  std::vector<std::uint64_t> next_sends_;  // by rank
  std::vector<std::uint64_t> next_receives_;
};

}  // namespace

Result<std::unique_ptr<Exchanger>> make_gloo_exchanger(const GlooOptions& options) {
  if (options.size < 1 || options.rank < 0 || options.rank >= options.size) {
    return invalid_argument("rank {} of {} cannot be", options.rank, options.size);
  }
  if (options.size == 1) {
    return std::unique_ptr<Exchanger>(std::make_unique<GlooExchanger>(options, nullptr));
  }
  const RealTime time;
  const Time deadline = time.now() + options.wait_max;
  try {
    gloo::transport::tcp::attr attributes;
    attributes.hostname = options.host;
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    gloo::rendezvous::FileStore files(options.folder);
    gloo::rendezvous::PrefixStore store(options.name, files);
    auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.size);
    context->setTimeout(ms_until(deadline, time.now()));
    context->connectFullMesh(store, device);
    return std::unique_ptr<Exchanger>(std::make_unique<GlooExchanger>(options, std::move(context)));
  } catch (const std::exception& error) {
    if (time.now() >= deadline) {
      return timeout("not all {} ranks of group {} came: {}", options.size, options.name,
                     error.what());
    }
    return unavailable("rank {} cannot connect to group {} in {}: {}", options.rank, options.name,
                       options.folder, error.what());
  }
}

}  // namespace godwit
