// launch/line_tagger_test.cc: lines in pieces, without end, and too long.
#include "launch/line_tagger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace godwit {
namespace {

using testing::ElementsAre;

struct Tagged {
  LastLines last{3};
  LineTagger tagger{{.name = "2"}, last};
  std::string out;
};

TEST(LineTagger, LinesComeOutWholeHoweverTheyCameIn) {
  const std::string text = "one\n\ntwo words\nthree\r\n";
  for (std::size_t piece = 1; piece <= text.size(); ++piece) {
    Tagged tagged;
    for (std::size_t at = 0; at < text.size(); at += piece) {
      tagged.tagger.feed(std::string_view(text).substr(at, piece), tagged.out);
    }
    EXPECT_EQ(tagged.out, "[2] one\n[2] \n[2] two words\n[2] three\r\n") << piece;
  }
}

TEST(LineTagger, AnUnendedLineWaitsForTheEnd) {
  Tagged tagged;
  tagged.tagger.feed("done\nhalf", tagged.out);
  EXPECT_EQ(tagged.out, "[2] done\n");
  tagged.tagger.finish(tagged.out);
  EXPECT_EQ(tagged.out, "[2] done\n[2] half\n");
  tagged.tagger.finish(tagged.out);
  EXPECT_EQ(tagged.out, "[2] done\n[2] half\n");
}

TEST(LineTagger, ALineOfExactlyTheLimitIsOneLine) {
  Tagged tagged;
  tagged.tagger.feed(std::string(kLineBytesMax, 'x'), tagged.out);
  EXPECT_EQ(tagged.out, "");
  tagged.tagger.feed("\n", tagged.out);
  EXPECT_EQ(tagged.out, "[2] " + std::string(kLineBytesMax, 'x') + "\n");
}

TEST(LineTagger, AnEndlessLineIsBrokenUpAndNothingIsLost) {
  Tagged tagged;
  tagged.tagger.feed(std::string(1 << 20, 'x'), tagged.out);
  tagged.tagger.finish(tagged.out);
  EXPECT_EQ(std::count(tagged.out.begin(), tagged.out.end(), 'x'), 1 << 20);
  EXPECT_EQ(std::count(tagged.out.begin(), tagged.out.end(), '\n'), (1 << 20) / kLineBytesMax);
  for (const std::string& line : tagged.last.lines()) {
    EXPECT_EQ(line.size(), LastLines::kKeptBytesMax);
  }
}

TEST(LineTagger, TheLastLinesAreKept) {
  Tagged tagged;
  tagged.tagger.feed("a\nb\nc\nd\n", tagged.out);
  EXPECT_THAT(tagged.last.lines(), ElementsAre("b", "c", "d"));
}

TEST(LineTagger, ALabelBecomesAPartOfTheTag) {
  LastLines last(3);
  LineTagger tagger({.name = "g0", .label = RankLabel::kOpenMpi}, last);
  std::string out;
  tagger.feed("[1,2]<stdout>:hello\nmpirun: x\n", out);
  EXPECT_EQ(out, "[g0.r2] hello\n[g0] mpirun: x\n");
  EXPECT_EQ(last.lines().front(), "[1,2]<stdout>:hello");
}

}  // namespace
}  // namespace godwit
