// data/line_reader_test.cc: lines against the plain text; what is no text is refused by place.
#include "data/line_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/prng.h"
#include "data/data_fixture.h"

namespace godwit {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<std::string>> lines_of(std::string_view bytes) {
  const OwnFiles files;
  auto reader = LineReader::open({.path = files.write("x.txt", bytes)});
  if (!reader.ok()) return std::move(reader).error();
  std::vector<std::string> lines;
  std::string_view line;
  for (;;) {
    const auto more = reader->next(line);
    if (!more.ok()) return more.error();
    if (!*more) return lines;
    lines.emplace_back(line);
    EXPECT_EQ(reader->line_number(), lines.size());
  }
}

TEST(LineReader, EndsOfLinesAreLeftOut) {
  EXPECT_THAT(lines_of("a\r\nb\n\nc").value(), ElementsAre("a", "b", "", "c"));
  EXPECT_THAT(lines_of("a\n").value(), ElementsAre("a"));
  EXPECT_THAT(lines_of("\n").value(), ElementsAre(""));
  EXPECT_THAT(lines_of("").value(), ElementsAre());
  EXPECT_THAT(lines_of("\xef\xbb\xbf"
                       "a\n")
                  .value(),
              ElementsAre("a"));
}

TEST(LineReader, LinesOfAnyLengthCrossTheBuffer) {
  Prng prng(1);
  std::vector<std::string> wanted;
  std::string text;
  for (int i = 0; i < 300; ++i) {
    const std::uint64_t size = i % 50 == 0 ? prng.below(700'000) : prng.below(3000);
    wanted.emplace_back(size, static_cast<char>('a' + i % 26));
    text += wanted.back() + '\n';
  }
  EXPECT_EQ(lines_of(text).value(), wanted);
  EXPECT_EQ(lines_of(gzipped(text)).value(), wanted);
}

TEST(LineReader, BinaryBytesAreRefusedByPlace) {
  const auto result = lines_of(std::string_view("one\ntwo\0\n", 9));
  EXPECT_EQ(result.error().code(), ErrorCode::kInvalidArgument);
  EXPECT_THAT(result.error().message(), HasSubstr("x.txt:2: there is a NUL byte"));
  EXPECT_THAT(result.error().message(), HasSubstr("looks binary"));
}

TEST(LineReader, ALineAboveTheBoundIsRefusedAndOneAtItIsNot) {
  std::string text(LineReader::kLineBytesMax, 'x');
  EXPECT_TRUE(lines_of("a\n" + text + "\nb").ok());
  text += 'x';
  EXPECT_THAT(lines_of("a\n" + text + "\nb").error().message(), HasSubstr("x.txt:2"));
}

TEST(LineReader, AMemberIsNamedInPlaces) {
  const OwnFiles files;
  const std::string path = files.write("s.tar", tar_of({{"train.txt", "a\nb\n"}}));
  auto reader = LineReader::open({.path = path, .member = "train.txt"});
  std::string_view line;
  ASSERT_TRUE(reader->next(line).value());
  EXPECT_EQ(reader->place(), "s.tar(train.txt):1");
  EXPECT_EQ(reader->refuse(line, "b").message(),
            "s.tar(train.txt):1: expected b, but the line is 'a'");
}

TEST(LineReader, LongAndUnprintableTextIsShownCut) {
  EXPECT_EQ(shown("a\tb\x01"), "a\\tb\\x01");
  EXPECT_EQ(shown(std::string(100, 'x')), std::string(80, 'x') + "...");
  EXPECT_EQ(shown(std::string(79, 'x') + "\xc3\xa4 and more"), std::string(79, 'x') + "...");
}

}  // namespace
}  // namespace godwit
