// fuzz/data_fuzz.cc: any bytes as a data file: byte 0 is the reader, the rest the file. Whatever
// is read keeps the promises of its header; nothing else may come of it than an error.
#include <sys/mman.h>
#include <unistd.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/unique_fd.h"
#include "data/analogies.h"
#include "data/corpus.h"
#include "data/data_files.h"
#include "data/generated.h"
#include "data/ratings.h"
#include "data/sparse_rows.h"
#include "data/triples.h"

namespace {

using namespace godwit;  // NOLINT(google-build-using-namespace): a program of one file

void check_ratings(const DataFiles& files) {
  const auto ratings = read_ratings(files);
  if (!ratings.ok()) return;
  GODWIT_CHECK(!ratings->train.empty());
  for (const Rating& rating : ratings->train) {
    GODWIT_CHECK(rating.row < ratings->rows && rating.column < ratings->columns);
    GODWIT_CHECK(std::isfinite(rating.value));
  }
}

void check_graph(const DataFiles& files) {
  const auto graph = read_graph(files);
  if (!graph.ok()) return;
  GODWIT_CHECK_GE(graph->entities.size(), 2U);
  for (const Triple& triple : graph->train) {
    GODWIT_CHECK(triple.head < graph->entities.size() && triple.tail < graph->entities.size());
    GODWIT_CHECK_LT(triple.relation, graph->relations.size());
  }
}

void check_sparse(const DataFiles& files) {
  const auto set = read_sparse(files);
  if (!set.ok()) return;
  GODWIT_CHECK_EQ(set->train.begins.size(), set->train.size() + 1);
  GODWIT_CHECK_EQ(set->train.begins.back(), set->train.features.size());
  for (const std::uint64_t feature : set->train.features) {
    GODWIT_CHECK_LT(feature, set->features);
  }
}

void check_corpus(const DataFiles& files) {
  const auto corpus = read_corpus(files.train, {.min_count = 2, .max_sentence = 3});
  if (!corpus.ok()) return;
  GODWIT_CHECK_EQ(corpus->begins.back(), corpus->tokens.size());
  std::uint64_t words = 0;
  for (const std::uint64_t count : corpus->vocabulary.counts) words += count;
  GODWIT_CHECK_EQ(words, corpus->tokens.size());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  if (data[0] % 6 == 5) {
    (void)parse_generated({reinterpret_cast<const char*>(data) + 1, size - 1});
    return 0;
  }
  const UniqueFd file(::memfd_create("data_fuzz", MFD_CLOEXEC));
  GODWIT_CHECK(file.is_open());
  GODWIT_CHECK_EQ(::write(file.fd(), data + 1, size - 1), static_cast<ssize_t>(size - 1));
  const auto files = find_data_files("/proc/self/fd/" + std::to_string(file.fd()));
  if (!files.ok()) return 0;
  switch (data[0] % 6) {
    case 0:
      check_ratings(*files);
      break;
    case 1:
      check_graph(*files);
      break;
    case 2:
      check_sparse(*files);
      break;
    case 3:
      check_corpus(*files);
      break;
    default:
      (void)read_analogies(files->train);
  }
  return 0;
}
