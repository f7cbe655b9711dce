// group/say_and_hear.cc: a key for each rank. Exceptions of gloo end here.
#include "group/say_and_hear.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>

#include "base/errors.h"

namespace godwit {

Result<std::vector<std::string>> say_and_hear(gloo::rendezvous::Store& store, const char* about,
                                              const std::string& text, int rank, int size,
                                              Time deadline) {
  using std::chrono::milliseconds;
  const RealTime time;
  const auto key = [&](int of) { return fmt::format("{}-{}", about, of); };
  std::vector<std::string> all;
  try {
    store.set(key(rank), std::vector<char>(text.begin(), text.end()));
    for (int other = 0; other < size; ++other) {
      const auto left = std::chrono::ceil<milliseconds>(Duration(deadline - time.now()));
      store.wait({key(other)}, std::max(milliseconds(1), left));
      const std::vector<char> said = store.get(key(other));
      all.emplace_back(said.begin(), said.end());
    }
    return all;
  } catch (const std::exception& error) {
    if (time.now() >= deadline) return timeout("not all {} ranks came: {}", size, error.what());
    return unavailable("meeting the other ranks: {}", error.what());
  }
}

}  // namespace godwit
