// core/leases_fixture.h: two nodes, of which the first leases rows of both.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>
#include <vector>

#include "core/core_fixture.h"
#include "core/leases.h"

namespace godwit {

class LeasesTest : public testing::Test {
 protected:
  void start(Placement placement = Placement::kIntent) {
    cores_.connect();
    table_ =
        cores_.open(0, {.name = "t", .rows = 100, .row_length = 2, .placement = placement}).value();
    mine_ = cores_.keys_of(0, table_, 2)[0];
    theirs_ = cores_.keys_of(1, table_, 2)[0];
  }
  Leases& leases() { return cores_.core(0).leases(); }
  LeaseRows acquire(std::vector<Key> keys, bool is_short = false) {
    LeaseRows lease{.table = table_,
                    .rows = cores_.tables(0).find(table_),
                    .keys = std::move(keys),
                    .is_short = is_short};
    leases().acquire(lease, cores_.now);
    leases().send(cores_.now);
    return lease;
  }
  // A lease whose rows have come.
  LeaseRows visit(std::vector<Key> keys) {
    LeaseRows lease = acquire(std::move(keys));
    cores_.run();
    EXPECT_TRUE(leases().settle(lease));
    return lease;
  }
  void release(LeaseRows& lease) {
    leases().release(lease, cores_.now);
    leases().send(cores_.now);
  }
  void end_all() {
    cores_.core(0).round(cores_.now, Flush::kRefresh);
    cores_.run();
  }
  void settle_visits() {
    cores_.now += std::chrono::milliseconds(30);
    leases().settle_visits(cores_.now);
  }
  void push_at_owner(Key key, float value) {
    RowScratch scratch;
    const std::vector<float> row{value, 0};
    cores_.tables(1).find(table_)->push({&key, 1}, row, scratch).value();
  }
  Stage stage(Key key) { return cores_.core(0).wanted().find({table_, key})->stage; }
  bool is_there(Key key) { return cores_.tables(0).find(table_)->is_there(key); }
  float value(std::int64_t node, Key key) {
    RowScratch scratch;
    std::vector<float> row(2);
    cores_.tables(node).find(table_)->pull({&key, 1}, row, scratch).value();
    return row[0];
  }

  WiredCores cores_;
  TableId table_;
  Key mine_ = 0;
  Key theirs_ = 0;
};

}  // namespace godwit
