// sched/live_command.cc: names in braces and what stands for them.
#include "sched/live_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "base/check.h"
#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"

namespace godwit {
namespace {

const std::vector<std::string> kNames{"nodes", "workers", "run", "resume"};

bool is_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= 'a' && c <= 'z'; });
}

// Calls `value` with each name in braces and puts what it returns in its place.
template <class Value>
Result<std::string> replace_names(const std::string& word, Value value) {
  std::string text;
  std::size_t at = 0;
  for (;;) {
    const std::size_t open = word.find('{', at);
    const std::size_t close = open == std::string::npos ? open : word.find('}', open);
    if (close == std::string::npos) return text + word.substr(at);
    const std::string name = word.substr(open + 1, close - open - 1);
    text += word.substr(at, open - at);
    if (is_name(name)) {
      GODWIT_TRY_ASSIGN(const std::string put, value(name));
      text += put;
    } else {
      text += word.substr(open, close + 1 - open);  // braces of another language
    }
    at = close + 1;
  }
}

}  // namespace

NodeLayout layout_of(const JobShares& placement) {
  NodeLayout layout;
  int each = 0;
  for (const Share& share : placement) each = std::gcd(each, share.workers);
  GODWIT_CHECK(each > 0);
  layout.workers = each;
  for (const Share& share : placement) {
    if (share.workers == 0) continue;
    layout.machines.push_back({share.machine, share.workers / each});
    layout.nodes += share.workers / each;
  }
  return layout;
}

Result<> check_command(const std::vector<std::string>& command, bool has_checkpoints) {
  if (command.empty() || command[0].empty()) return invalid_argument("command has no program");
  std::vector<std::string> seen;
  for (const std::string& word : command) {
    GODWIT_TRY(replace_names(word, [&](const std::string& name) -> Result<std::string> {
      if (std::ranges::find(kNames, name) == kNames.end()) {
        return invalid_argument(
            "command has no {{{}}}{}; it has {{nodes}}, {{workers}}, {{run}} "
            "and {{resume}}",
            name, did_you_mean(name, kNames));
      }
      if (name == "resume" && word != "{resume}") {
        return invalid_argument("{{resume}} in '{}' must be a word of its own", word);
      }
      seen.push_back(name);
      return std::string();
    }));
  }
  std::vector<const char*> needed{"nodes"};
  if (has_checkpoints) needed.insert(needed.end(), {"run", "resume"});
  for (const char* name : needed) {
    if (std::ranges::find(seen, name) != seen.end()) continue;
    return invalid_argument(
        "command does not say where {{{}}} goes{}", name,
        has_checkpoints ? "; a job that cannot resume has checkpoint = false" : "");
  }
  return {};
}

std::vector<std::string> expand_command(const std::vector<std::string>& command,
                                        const NodeLayout& layout, const std::string& run,
                                        bool resumes) {
  std::vector<std::string> words;
  for (const std::string& word : command) {
    if (word == "{resume}") {
      if (resumes) words.emplace_back("--resume");
      continue;
    }
    words.push_back(replace_names(word, [&](const std::string& name) -> Result<std::string> {
                      if (name == "nodes") return std::to_string(layout.nodes);
                      if (name == "workers") return std::to_string(layout.workers);
                      return run;
                    }).value());
  }
  return words;
}

}  // namespace godwit
