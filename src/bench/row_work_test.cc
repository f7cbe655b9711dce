// bench/row_work_test.cc: every touch counts, and the gradients point the right way.
#include "bench/row_work.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <vector>

#include "godwit/session.h"

namespace godwit {
namespace {

// One node with the rows of a pattern, each at its start.
class RowWork : public testing::Test {
 protected:
  void begin(PatternKind kind) {
    pattern_ = make_pattern({.kind = kind, .nodes = 1, .batch = 2, .scale = 0.001});
    table_.emplace(session_
                       .table({.name = to_string(kind),
                               .rows = pattern_->rows(),
                               .row_length = pattern_->row_length(),
                               .rule = pattern_->rule()})
                       .value());
    std::vector<float> row(pattern_->row_length());
    for (Key key = 0; key < pattern_->rows(); ++key) {
      write_start(*pattern_, key, row);
      worker_.set(*table_, std::span(&key, 1), row).value();
    }
  }

  void work(PatternKind kind, const std::vector<Key>& keys, int times) {
    Lease lease = worker_.intend(*table_, keys, worker_.tick(), Tick{1'000'000}).value();
    worker_.open(lease).value();
    for (int i = 0; i < times; ++i) work_on(kind, lease);
    worker_.close(lease).value();
  }

  std::vector<float> row(Key key) {
    std::vector<float> values(pattern_->row_length());
    worker_.pull(*table_, std::span(&key, 1), values).value();
    return values;
  }

  Session session_ = Session::open().value();
  Worker worker_ = session_.worker().value();
  std::unique_ptr<Pattern> pattern_;
  std::optional<Table> table_;
};

TEST_F(RowWork, EveryTouchIsCounted) {
  for (const PatternKind kind :
       {PatternKind::kMf, PatternKind::kKge, PatternKind::kStream, PatternKind::kReuse}) {
    begin(kind);
    // A key that occurs twice is touched twice.
    std::vector<Key> keys(pattern_->keys_per_step(), 3);
    keys[0] = 5;
    work(kind, keys, 10);
    for (std::uint32_t i = pattern_->first_counter(); i < pattern_->row_length(); ++i) {
      ASSERT_EQ(row(5)[i], 10) << to_string(kind);
      ASSERT_EQ(row(3)[i], 10.0 * static_cast<double>(keys.size() - 1)) << to_string(kind);
      ASSERT_EQ(row(4)[i], 0) << to_string(kind);
    }
  }
}

TEST_F(RowWork, FactorsApproachTheRatings) {
  begin(PatternKind::kMf);
  const std::vector<Key> keys{0, 20, 1, 21};  // with ratings 0 and 0.4
  work(PatternKind::kMf, keys, 3000);
  const auto estimate = [&](Key user, Key item) {
    float sum = 0;
    for (std::size_t f = 0; f + 1 < 32; ++f) sum += row(user)[f] * row(item)[f];
    return sum;
  };
  EXPECT_NEAR(estimate(0, 20), 0, 0.02);
  EXPECT_NEAR(estimate(1, 21), 0.4, 0.02);
}

TEST_F(RowWork, TrueTriplesComeToScoreAboveInventedOnes) {
  begin(PatternKind::kKge);
  std::vector<Key> keys;
  for (Key key = 0; key < 26; ++key) keys.push_back(key);
  work(PatternKind::kKge, keys, 50);
  const auto score = [&](Key subject, Key relation, Key object) {
    const auto s = row(subject);
    const auto r = row(relation);
    const auto o = row(object);
    double sum = 0;
    for (std::size_t d = 0; d + 1 < 64; ++d) {
      sum += (s[d] * r[d] - s[64 + d] * r[64 + d]) * o[d] +
             (s[d] * r[64 + d] + s[64 + d] * r[d]) * o[64 + d];
    }
    return sum;
  };
  EXPECT_GT(score(0, 1, 2), 3);
  EXPECT_LT(score(0, 1, 3), -3);
  EXPECT_GT(score(13, 14, 15), 3);
}

}  // namespace
}  // namespace godwit
