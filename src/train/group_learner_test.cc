// train/group_learner_test.cc: groups whose ranks are threads, with sessions over real sockets, get
// as good as one worker, in all modes.
#include "train/group_learner.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "base/prng.h"
#include "data/images.h"
#include "group/inproc_group.h"
#include "train/common_settings.h"
#include "train/group_watch.h"
#include "train/mlp_task.h"

namespace godwit {
namespace {

struct Shape {
  std::int64_t servers = 1;
  std::int64_t groups = 2;
  std::int64_t ranks = 2;

  std::int64_t nodes() const { return servers + groups * ranks; }
};

struct Learned {
  double accuracy = 0;
  std::vector<GroupWork> work;
};

// Four classes of images of 16 pixels: each has its bright pixels, under noise.
Images images_of(std::uint32_t count, std::uint64_t seed) {
  Images images{.count = count, .height = 4, .width = 4, .classes = 4, .pixels = {}, .labels = {}};
  Prng prng(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint8_t>(i % 4);
    images.labels.push_back(label);
    for (std::uint32_t pixel = 0; pixel < 16; ++pixel) {
      const std::uint64_t light = pixel % 4 == label ? 60 : 0;
      images.pixels.push_back(static_cast<std::uint8_t>(light + prng.below(190)));
    }
  }
  return images;
}

std::unique_ptr<Task> make_task(const Settings& settings) {
  return make_mlp_task(settings, {.train = images_of(4000, 1), .test = images_of(1000, 2)}).value();
}

Settings settings_with(const Shape& shape, const std::vector<std::string>& assignments) {
  Settings settings;
  add_common_settings(settings);
  add_mlp_settings(settings);
  settings.set("groups=" + std::to_string(shape.groups), SettingSource::kFlag).value();
  for (const char* text : {"epochs=12", "batch=16", "hidden=12", "valid_share=0"}) {
    settings.set(text, SettingSource::kFlag).value();
  }
  for (const std::string& text : assignments) settings.set(text, SettingSource::kFlag).value();
  settle_group_settings(settings).value();
  return settings;
}

Session open_session(const Shape& shape, std::int64_t node, const std::string& job) {
  return Session::open({.nodes = shape.nodes(),
                        .node = NodeId{node},
                        .rendezvous = "unix:@" + job,
                        .job = job,
                        .token = "secret",
                        .workers = node < shape.servers ? 0 : 1,
                        .servers = shape.servers,
                        .rejoin_within = std::chrono::seconds(20),
                        .wait_max = std::chrono::seconds(30)})
      .value();
}

void run_rank(const Shape& shape, std::int64_t node, const std::string& job,
              const Settings& settings, std::unique_ptr<Exchanger> exchanger) {
  const auto group = Group::open(std::move(exchanger), {}).value();
  Session session = open_session(shape, node, job);
  auto task = make_task(settings);
  task->open(session, 1).value();
  ProgressBoard board = ProgressBoard::open(session, shape.groups).value();
  {
    Worker worker = session.worker().value();
    const std::int64_t index = node - shape.servers;
    const LearnerPlace place{.group = index / shape.ranks,
                             .groups = shape.groups,
                             .rank = index % shape.ranks,
                             .ranks = shape.ranks};
    const GroupsView view =
        session.join_group({.group = place.group, .rank = place.rank, .size = place.ranks}).value();
    const RealTime time;
    GroupLearner learner(*task->step_model(), group_training_of(settings), place, session, worker,
                         *group, task->tables(), board, time);
    learner.run(view).value();
  }
  session.close().value();
}

void run_first(const Shape& shape, const std::string& job, const Settings& settings,
               Learned& learned) {
  Session session = open_session(shape, 0, job);
  auto task = make_task(settings);
  task->open(session, 1).value();
  ProgressBoard board = ProgressBoard::open(session, shape.groups).value();
  GroupWatchEvents events;
  events.on_work = [&](const std::vector<GroupWork>& work, double) { learned.work = work; };
  const RealTime time;
  const std::atomic<bool> stop{false};
  const LoopResult result =
      watch_groups(session, *task->step_model(), task->tables(), board,
                   {.loop = {.judge_every = 1}, .epochs = task->epochs()}, {}, time, stop, events)
          .value();
  EXPECT_EQ(result.cause, StopCause::kFinished);
  learned.accuracy = result.test->figures[0].second;
  session.close().value();
}

Learned learn(const Shape& shape, const std::string& name,
              const std::vector<std::string>& assignments) {
  const std::string job = name + "-" + std::to_string(::getpid());
  const Settings settings = settings_with(shape, assignments);
  Learned learned;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] { run_first(shape, job, settings, learned); });
  for (std::int64_t node = 1; node < shape.servers; ++node) {
    threads.emplace_back([&, node] { open_session(shape, node, job).close().value(); });
  }
  for (std::int64_t group = 0; group < shape.groups; ++group) {
    auto exchangers = make_inproc_exchangers(static_cast<int>(shape.ranks));
    for (std::int64_t rank = 0; rank < shape.ranks; ++rank) {
      const std::int64_t node = shape.servers + group * shape.ranks + rank;
      threads.emplace_back(
          [&, node, mine = std::move(exchangers[static_cast<std::size_t>(rank)])]() mutable {
            run_rank(shape, node, job, settings, std::move(mine));
          });
    }
  }
  threads.clear();
  return learned;
}

void expect_learned(const Learned& learned, const Shape& shape) {
  EXPECT_GT(learned.accuracy, 0.82);  // one worker: 0.85
  ASSERT_EQ(learned.work.size(), static_cast<std::size_t>(shape.groups));
  double samples = 0;
  for (const GroupWork& work : learned.work) {
    EXPECT_GT(work.samples, 0);
    EXPECT_EQ(work.samples, work.steps * 16 * static_cast<double>(shape.ranks));
    samples += work.samples;
  }
  EXPECT_GE(samples, 12 * 4000);
}

TEST(GroupLearner, LearnsInAllModes) {
  for (const char* mode : {"elastic", "outer", "async", "sync"}) {
    SCOPED_TRACE(mode);
    const Shape shape{.servers = 2, .groups = 2, .ranks = 2};
    const Learned learned =
        learn(shape, std::string("learn_") + mode, {std::string("mode=") + mode});
    expect_learned(learned, shape);
    for (const GroupWork& work : learned.work) {
      const bool is_every_step = std::string(mode) == "async" || std::string(mode) == "sync";
      if (is_every_step) {
        EXPECT_EQ(work.exchanges, work.steps);
      }
      EXPECT_GT(work.sent_bytes, work.exchanges * 4 * (12 * 17 + 4 * 13))
          << "all weights, by both ranks";
    }
  }
}

TEST(GroupLearner, OneGroupLearnsByCollectivesAlone) {
  const Shape shape{.servers = 1, .groups = 1, .ranks = 3};
  const Learned learned = learn(shape, "learn_collective", {"mode=collective"});
  expect_learned(learned, shape);
  EXPECT_LE(learned.work[0].exchanges, learned.work[0].samples / 3500 + 2) << "about one a pass";
}

TEST(GroupLearner, LearnsWithMomentumAndCompression) {
  const Shape shape{.servers = 1, .groups = 3, .ranks = 1};
  const Learned learned = learn(shape, "learn_momentum",
                                {"mode=elastic", "momentum=0.8", "learning_rate=0.02",
                                 "compression=int8", "exchange_every=3"});
  expect_learned(learned, shape);
  for (const GroupWork& work : learned.work) {
    EXPECT_NEAR(work.exchanges, work.steps / 3, 2);
    EXPECT_EQ(work.exchange_every, 3);
  }
}

}  // namespace
}  // namespace godwit
