// bench/table_sums.cc: one tick of a table that is read when all have written.
#include "bench/table_sums.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/check.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::size_t kRowLength = 1024;

}  // namespace

SumsByTables::SumsByTables(Session session, Table table, Worker worker, std::size_t length)
    : session_(std::move(session)),
      table_(std::move(table)),
      worker_(std::move(worker)),
      length_(length) {
  const std::size_t rows = (length + kRowLength - 1) / kRowLength;
  for (std::size_t row = 0; row < rows; ++row) keys_.push_back(Key{row});
  if (length % kRowLength != 0) pushed_.resize(rows * kRowLength);
  sums_.resize(rows * kRowLength);
}

Result<SumsByTables> SumsByTables::open(const std::string& folder, const std::string& name,
                                        int rank, int size, std::size_t length) {
  const std::string job = std::filesystem::path(folder).filename().string() + "-" + name;
  GODWIT_TRY_ASSIGN(Session session, Session::open({.nodes = size,
                                                    .node = NodeId{rank},
                                                    .rendezvous = "unix:" + folder + "/" + name,
                                                    .job = job,
                                                    .token = "bench"}));
  const TableSpec spec{.name = "sums",
                       .rows = (length + kRowLength - 1) / kRowLength,
                       .row_length = kRowLength,
                       .consistency = {.kind = ConsistencyKind::kBsp}};
  GODWIT_TRY_ASSIGN(Table table, session.table(spec));
  GODWIT_TRY_ASSIGN(Worker worker, session.worker());
  return SumsByTables(std::move(session), std::move(table), std::move(worker), length);
}

Result<> SumsByTables::add(std::span<const float> values) {
  GODWIT_CHECK_EQ(values.size(), length_);
  if (!pushed_.empty()) {
    std::copy(values.begin(), values.end(), pushed_.begin());
    values = pushed_;
  }
  GODWIT_TRY(worker_.push(table_, keys_, values));
  GODWIT_TRY(worker_.advance());
  return worker_.pull(table_, keys_, sums_);
}

Result<> SumsByTables::close() {
  return session_.close();
}

}  // namespace godwit
