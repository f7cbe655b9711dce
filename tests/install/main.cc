// tests/install/main.cc: a program outside of this repository, built against an installed Godwit.
// Prints the version on success; run.sh compares it.
#include <cstdio>
#include <vector>

#include "godwit/godwit.h"

int main() {
  auto session = godwit::Session::open();
  if (!session) return 1;
  auto table = session->table({.name = "weights",
                               .rows = 1000,
                               .row_length = 2,
                               .rule = godwit::Rule::sgd(0.5F),
                               .init = godwit::Init::constant(1)});
  auto worker = session->worker();
  if (!table || !worker) return 1;

  const std::vector<godwit::Key> keys{7, 999};
  if (!worker->push(*table, keys, std::vector<float>{2, 4, 6, 8})) return 1;
  std::vector<float> values(4);
  if (!worker->pull(*table, keys, values)) return 1;
  if (values != std::vector<float>{0, -1, -2, -3}) return 1;

  const auto refused = worker->push(*table, std::vector<godwit::Key>{1000}, std::vector<float>(2));
  if (refused.ok()) return 1;
  std::fprintf(stderr, "refused as it must be: %s\n", refused.error().message().c_str());
  std::puts(GODWIT_VERSION);
}
