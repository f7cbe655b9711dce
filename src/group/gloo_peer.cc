// group/gloo_peer.cc: gloo as it is meant to be used.
#include "group/gloo_peer.h"

#include <gloo/allreduce.h>
#include <gloo/allreduce_bcube.h>
#include <gloo/allreduce_halving_doubling.h>
#include <gloo/allreduce_ring_chunked.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/rendezvous/prefix_store.h>
#include <gloo/transport/tcp/device.h>

#include <exception>
#include <utility>

namespace godwit {
namespace {

using Context = std::shared_ptr<gloo::rendezvous::Context>;

template <class Run>
Result<> caught(Run&& run) {
  try {
    run();
    return {};
  } catch (const std::exception& error) {
    return unavailable("gloo: {}", error.what());
  }
}

void add_floats(void* sum, const void* a, const void* b, std::size_t n) {
  gloo::sum<float>(sum, a, b, n);
}

class RealPeer final : public GlooPeer {
 public:
  explicit RealPeer(Context context) : context_(std::move(context)) {}

  Result<std::vector<Algorithm>> prepare(std::span<float> values) override {
    std::vector<Algorithm> all;
    for (const auto& [name, kind] :
         {std::pair{"ring", gloo::AllreduceOptions::Algorithm::RING},
          std::pair{"bcube", gloo::AllreduceOptions::Algorithm::BCUBE}}) {
      all.push_back({name, [this, values, kind = kind] {
                       return caught([&] {
                         gloo::AllreduceOptions options(context_);
                         options.setAlgorithm(kind);
                         options.setOutput(values.data(), values.size());
                         options.setReduceFunction(add_floats);
                         gloo::allreduce(options);
                       });
                     }});
    }
    const std::vector<float*> pointers{values.data()};
    const auto count = static_cast<int>(values.size());
    const auto add = [&](const char* name, auto algorithm) {
      all.push_back({name, [algorithm] { return caught([&] { algorithm->run(); }); }});
    };
    try {
      add("old ring",
          std::make_shared<gloo::AllreduceRingChunked<float>>(context_, pointers, count));
      add("halving-doubling",
          std::make_shared<gloo::AllreduceHalvingDoubling<float>>(context_, pointers, count));
      add("old bcube", std::make_shared<gloo::AllreduceBcube<float>>(context_, pointers, count));
    } catch (const std::exception& error) {
      return unavailable("gloo: {}", error.what());
    }
    return all;
  }

 private:
  const Context context_;
};

}  // namespace

Result<std::unique_ptr<GlooPeer>> GlooPeer::open(const GlooOptions& options) {
  try {
    gloo::transport::tcp::attr attributes;
    attributes.hostname = options.host;
    auto device = gloo::transport::tcp::CreateDevice(attributes);
    gloo::rendezvous::FileStore files(options.folder);
    gloo::rendezvous::PrefixStore store(options.name, files);
    auto context = std::make_shared<gloo::rendezvous::Context>(options.rank, options.size);
    context->connectFullMesh(store, device);
    return std::unique_ptr<GlooPeer>(std::make_unique<RealPeer>(std::move(context)));
  } catch (const std::exception& error) {
    return unavailable("gloo: {}", error.what());
  }
}

}  // namespace godwit
