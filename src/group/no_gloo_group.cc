// group/no_gloo_group.cc: for builds without gloo.
#include "base/errors.h"
#include "group/gloo_group.h"

namespace godwit {

Result<std::unique_ptr<Exchanger>> make_gloo_exchanger(const GlooOptions&) {
  return unavailable("this program was built without gloo: install libgloo-dev, build it anew");
}

}  // namespace godwit
