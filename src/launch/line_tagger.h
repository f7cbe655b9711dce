// launch/line_tagger.h: the bytes of one stream as whole lines, each with its writer in front.
// Not thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "launch/rank_label.h"

namespace godwit {

// A line longer than this is broken up, so that a stream without line ends takes bounded memory.
inline constexpr std::size_t kLineBytesMax = 64 << 10;

// The most recent lines of a node, each cut to its first kKeptBytesMax bytes.
class LastLines {
 public:
  static constexpr std::size_t kKeptBytesMax = 1000;

  explicit LastLines(std::size_t lines_max) : lines_max_(lines_max) {}

  void add(std::string_view line);  // without its line end
  void clear() { lines_.clear(); }
  const std::deque<std::string>& lines() const { return lines_; }

 private:
  const std::size_t lines_max_;
  std::deque<std::string> lines_;
};

// "[3] " for name "3"; "[g0.r2] " for name "g0" and a line that a label says rank 2 wrote. The tag
// takes the label's place.
struct LineTag {
  std::string name;
  RankLabel label = RankLabel::kNone;
};

class LineTagger {
 public:
  // `tag` goes in front of each line; each line also goes to `last`, which must outlive this.
  LineTagger(LineTag tag, LastLines& last) : tag_(std::move(tag)), last_(last) {}

  // Appends the lines that `bytes` complete to `out`, tagged and ended.
  void feed(std::string_view bytes, std::string& out);

  // Appends what came after the last line end, if anything, as a line.
  void finish(std::string& out);

 private:
  void end_line(std::string& out);

  const LineTag tag_;
  LastLines& last_;
  std::string line_;  // not ended yet
};

}  // namespace godwit
