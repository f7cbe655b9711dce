// launch/line_tagger.cc: splitting at line ends.
#include "launch/line_tagger.h"

#include <algorithm>

namespace godwit {

void LastLines::add(std::string_view line) {
  lines_.emplace_back(line.substr(0, kKeptBytesMax));
  if (lines_.size() > lines_max_) lines_.pop_front();
}

void LineTagger::feed(std::string_view bytes, std::string& out) {
  while (!bytes.empty()) {
    const std::size_t room = kLineBytesMax - line_.size();
    const std::size_t end = bytes.find('\n');
    const std::size_t taken = std::min({end, room, bytes.size()});
    line_ += bytes.substr(0, taken);
    bytes.remove_prefix(taken);
    if (!bytes.empty() && bytes.front() == '\n') {
      bytes.remove_prefix(1);
      end_line(out);
    } else if (!bytes.empty()) {
      end_line(out);  // full, and it goes on
    }
  }
}

void LineTagger::finish(std::string& out) {
  if (!line_.empty()) end_line(out);
}

void LineTagger::end_line(std::string& out) {
  out += '[' + tag_.name;
  if (const auto labelled = split_rank_label(tag_.label, line_)) {
    out += ".r" + std::to_string(labelled->rank) + "] ";
    out += labelled->text;
  } else {
    out += "] " + line_;
  }
  out += '\n';
  last_.add(line_);
  line_.clear();
}

}  // namespace godwit
