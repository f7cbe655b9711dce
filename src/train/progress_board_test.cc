// train/progress_board_test.cc: what groups say is read as they said it.
#include "train/progress_board.h"

#include <gtest/gtest.h>

#include <cmath>

#include "node/job_fixture.h"

namespace godwit {
namespace {

GroupWork work_with(double samples) {
  return {.samples = samples,
          .loss = samples / 4,
          .steps = samples / 128,
          .exchanges = 7,
          .exchange_seconds = 1.25,
          .seconds = 20.5,
          .sent_bytes = 3e12 + 1,
          .exchange_every = 9,
          .longest_step = 0.5};
}

TEST(ProgressBoard, NumbersAreExactHoweverLarge) {
  Session session = Session::open({}).value();
  Worker worker = session.worker().value();
  ProgressBoard board = ProgressBoard::open(session, 3).value();
  EXPECT_EQ(board.take_up(worker, 1).value(), GroupWork{});
  for (double samples = 128; samples < 1e12; samples *= 3) {
    board.tell_last(worker, work_with(128 * std::floor(samples / 128))).value();
    const auto read = board.read(worker).value();
    EXPECT_EQ(read[1], work_with(128 * std::floor(samples / 128)));
    EXPECT_EQ(read[0], GroupWork{});
  }
}

TEST(ProgressBoard, ANewLifeGoesOnWhereTheLastWordWas) {
  Session session = Session::open({}).value();
  Worker worker = session.worker().value();
  {
    ProgressBoard board = ProgressBoard::open(session, 2).value();
    board.take_up(worker, 0).value();
    board.tell_last(worker, work_with(1280)).value();
  }
  ProgressBoard board = ProgressBoard::open(session, 2).value();
  EXPECT_EQ(board.take_up(worker, 0).value(), work_with(1280));
  board.tell_last(worker, work_with(2560)).value();
  EXPECT_EQ(board.read(worker).value()[0], work_with(2560));
}

TEST(ProgressBoard, TheOrderToEndIsHeardWithTheNextWordButOne) {
  Session session = Session::open({}).value();
  Worker worker = session.worker().value();
  ProgressBoard board = ProgressBoard::open(session, 1).value();
  board.take_up(worker, 0).value();
  EXPECT_FALSE(board.must_end(worker).value());
  EXPECT_FALSE(board.tell(worker, work_with(128)).value());
  board.order_end(worker).value();
  EXPECT_TRUE(board.must_end(worker).value());
  EXPECT_FALSE(board.may_leave(worker).value());
  EXPECT_FALSE(board.tell(worker, work_with(256)).value());
  EXPECT_TRUE(board.tell(worker, work_with(384)).value());
  board.order_leave(worker).value();
  EXPECT_TRUE(board.may_leave(worker).value());
}

}  // namespace
}  // namespace godwit
