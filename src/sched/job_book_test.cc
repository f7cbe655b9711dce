// sched/job_book_test.cc: random events, with a crash after any write, against a world that starts
// a life at most once.
#include "sched/job_book.h"

#include <gtest/gtest.h>

#include "base/prng.h"

namespace godwit {
namespace {

using Kind = Sighting::Kind;

Cluster two_machines() {
  Cluster cluster;
  cluster.resources = {"cpu"};
  cluster.machines = {{"a", {4}}, {"b", {4}}};
  return cluster;
}

LiveJob job_of(const std::string& name) {
  LiveJob job;
  job.record.name = name;
  job.model.worker = {1};
  job.model.workers_max = 4;
  return job;
}

// What back-ends promise: a life is begun once, and never after it was stopped or killed.
class World {
 public:
  void carry_out(const JobRecord& record) {
    Life& life = lives_[{record.id, record.incarnation}];
    switch (order_of(record)) {
      case Order::kStart:
        if (life.state != State::kUnknown) return;
        life.state = State::kBegun;
        life.placement = record.placement;
        ++life.begins;
        return;
      case Order::kStop:
      case Order::kKill:
        if (life.state == State::kUnknown) life = {State::kEnded, kJobInterrupted, {}, 0};
        if (life.state == State::kBegun) life.is_told = true;
        return;
      case Order::kNone:
        return;
    }
  }

  Sighting look(std::int64_t id, std::int64_t incarnation) {
    const Life& life = lives_[{id, incarnation}];
    switch (life.state) {
      case State::kUnknown:
        return {};
      case State::kBegun:
        return {.kind = Kind::kRunning};
      case State::kEnded:
        return {.kind = Kind::kEnded, .exit_code = life.code};
      case State::kLost:
        return {.kind = Kind::kLost};
    }
    return {};
  }

  // Something happens to a life that has begun. When it is `calm` nothing is lost.
  void happen(Prng& prng, bool calm) {
    for (auto& [key, life] : lives_) {
      if (life.state != State::kBegun || prng.uniform() > 0.3) continue;
      const double dice = prng.uniform();
      if (life.is_told) {
        life = {State::kEnded, dice < 0.1 ? 0 : kJobInterrupted, life.placement, life.begins};
      } else if (dice < 0.4) {
        life = {State::kEnded, 0, life.placement, life.begins};
      } else if (!calm && dice < 0.6) {
        life = {State::kLost, 0, life.placement, life.begins};
      }
    }
  }

  void check(const Cluster& cluster) const {
    std::vector<int> used(cluster.machine_count(), 0);
    std::map<std::int64_t, int> alive;
    for (const auto& [key, life] : lives_) {
      ASSERT_LE(life.begins, 1) << "life " << key.second << " of job " << key.first;
      if (life.state != State::kBegun) continue;
      ASSERT_EQ(++alive[key.first], 1) << "two lives of job " << key.first;
      for (const Share& share : life.placement) used[share.machine] += share.workers;
    }
    for (const int workers : used) ASSERT_LE(workers, 4);
  }

 private:
  enum class State { kUnknown, kBegun, kEnded, kLost };
  struct Life {
    State state = State::kUnknown;
    int code = 0;
    JobShares placement;
    int begins = 0;
    bool is_told = false;
  };
  std::map<std::pair<std::int64_t, std::int64_t>, Life> lives_;
};

// A daemon that may die between any write and what follows it.
class Daemon {
 public:
  Daemon(std::uint64_t seed, const Cluster& cluster) : prng_(seed), cluster_(cluster) { boot(); }

  void boot() {
    book_.emplace(cluster_);
    for (const auto& [id, record] : disk_) {
      LiveJob job = job_of(record.name);
      job.record = record;
      book_->restore(std::move(job));
    }
  }

  // False: it died on the way, and is there anew.
  bool turn(bool calm) {
    now_ += 100;
    if (book_->jobs().size() < 6 && prng_.uniform() < 0.3) {
      LiveJob job = job_of("job");
      job.record.has_checkpoints = prng_.uniform() < 0.8;
      book_->add(std::move(job), now_);
      if (!write(calm)) return false;
    }
    for (const std::int64_t id : book_->present()) {
      const std::int64_t life = book_->find(id)->record.incarnation;
      book_->see(id, life, world_.look(id, life), now_);
      if (prng_.uniform() < 0.2) book_->set_progress(id, prng_.uniform());
    }
    if (!write(calm)) return false;
    if (!calm && prng_.uniform() < 0.02 && !book_->jobs().empty()) book_->cancel(1, now_);
    Wishes wishes;
    std::vector<std::int64_t> order;
    for (const auto& [id, job] : book_->jobs()) {
      order.push_back(id);
      if (job.record.phase == JobPhase::kRunning && prng_.uniform() < (calm ? 1 : 0.9)) {
        wishes[id] = job.record.placement;
      } else if (prng_.uniform() < 0.7) {
        wishes[id] = any_placement();
      }
    }
    book_->take_wishes(wishes, order, {1, 1}, now_);
    if (!write(calm)) return false;
    for (const std::int64_t id : book_->present()) {
      world_.carry_out(book_->find(id)->record);
      if (!calm && prng_.uniform() < 0.05) return boot(), false;
    }
    world_.happen(prng_, calm);
    return true;
  }

  bool all_over() const {
    for (const auto& [id, job] : book_->jobs()) {
      if (!is_over(job.record.phase)) return false;
    }
    return book_->jobs().size() == 6;
  }
  const World& world() const { return world_; }
  std::size_t finished(JobPhase phase) const {
    std::size_t count = 0;
    for (const auto& [id, job] : book_->jobs()) count += job.record.phase == phase ? 1 : 0;
    return count;
  }

 private:
  JobShares any_placement() {
    const int first = 1 + static_cast<int>(prng_.uniform() * 4);
    if (prng_.uniform() < 0.7) return {{prng_.uniform() < 0.5 ? 0U : 1U, first, 0}};
    return {{0, first, 0}, {1, 1, 0}};
  }

  // One transaction; or death before it.
  bool write(bool calm) {
    const auto changed = book_->take_changed();
    if (!calm && prng_.uniform() < 0.05) return boot(), false;
    for (const std::int64_t id : changed) disk_[id] = book_->find(id)->record;
    if (!calm && prng_.uniform() < 0.05) return boot(), false;
    return true;
  }

  Prng prng_;
  const Cluster& cluster_;
  std::map<std::int64_t, JobRecord> disk_;
  std::optional<JobBook> book_;
  World world_;
  std::int64_t now_ = 0;
};

TEST(JobBook, NoLifeBeginsTwiceAndNoJobIsLostWhateverCrashes) {
  const Cluster cluster = two_machines();
  std::size_t done = 0;
  for (std::uint64_t seed = 1; seed <= 400; ++seed) {
    Daemon daemon(seed, cluster);
    for (int turn = 0; turn < 60; ++turn) {
      daemon.turn(false);
      daemon.world().check(cluster);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed << ", turn " << turn;
    }
    for (int turn = 0; turn < 400 && !daemon.all_over(); ++turn) {
      daemon.turn(true);
      daemon.world().check(cluster);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    }
    ASSERT_TRUE(daemon.all_over()) << "seed " << seed;
    done += daemon.finished(JobPhase::kDone);
  }
  EXPECT_GT(done, 400 * 6 / 2) << "most are done, not given up";
}

TEST(JobBook, StartsNobodyWhereSomebodyStillSaves) {
  const Cluster cluster = two_machines();
  JobBook book(cluster);
  const std::int64_t first = book.add(job_of("first"), 0);
  const std::int64_t second = book.add(job_of("second"), 0);
  const std::vector<std::int64_t> order{second, first};
  book.take_wishes({{first, {{0, 4, 0}}}}, order, {1, 1}, 1);
  book.see(first, 1, {.kind = Kind::kRunning}, 2);
  book.take_wishes({{second, {{0, 3, 0}}}}, order, {1, 1}, 3);
  EXPECT_EQ(book.find(first)->record.phase, JobPhase::kSaving);
  EXPECT_EQ(book.find(second)->record.phase, JobPhase::kWaiting);
  book.see(first, 1, {.kind = Kind::kEnded, .exit_code = kJobInterrupted}, 4);
  book.take_wishes({{second, {{0, 3, 0}}}}, order, {1, 1}, 5);
  EXPECT_EQ(book.find(second)->record.phase, JobPhase::kStarting);
  EXPECT_EQ(book.room()[0][0], 1);
}

TEST(JobBook, StartsNobodyOnAMachineThatIsAway) {
  const Cluster cluster = two_machines();
  JobBook book(cluster);
  const std::int64_t id = book.add(job_of("a"), 0);
  book.take_wishes({{id, {{1, 1, 0}}}}, {id}, {1, 0}, 1);
  EXPECT_EQ(book.find(id)->record.phase, JobPhase::kWaiting);
}

TEST(JobBook, FindsJobsByNumberAndTheNewestByName) {
  const Cluster cluster = two_machines();
  JobBook book(cluster);
  book.add(job_of("a"), 0);
  const std::int64_t second = book.add(job_of("a"), 0);
  EXPECT_EQ(book.find("a")->record.id, second);
  EXPECT_EQ(book.find("1")->record.id, 1);
  EXPECT_EQ(book.find("b"), nullptr);
  EXPECT_EQ(book.take_changed().size(), 2U);
  EXPECT_TRUE(book.take_changed().empty());
}

}  // namespace
}  // namespace godwit
