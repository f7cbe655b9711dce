// group/no_gloo_group.cc: for builds without gloo.
#include "base/errors.h"
#include "group/gloo_group.h"
#include "group/gloo_peer.h"

namespace godwit {
namespace {

Error missing() {
  return unavailable("this program was built without gloo: install libgloo-dev, build it anew");
}

}  // namespace

Result<std::unique_ptr<Exchanger>> make_gloo_exchanger(const GlooOptions&) {
  return missing();
}

Result<std::unique_ptr<GlooPeer>> GlooPeer::open(const GlooOptions&) {
  return missing();
}

}  // namespace godwit
