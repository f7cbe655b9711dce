// launch/host_list.cc: splitting at commas outside of brackets, then one bracket after the other.
#include "launch/host_list.h"

#include <fmt/format.h>

#include <optional>

#include "base/errors.h"
#include "base/try.h"
#include "launch/environment.h"

namespace godwit {
namespace {

Error malformed(std::string_view list) {
  return invalid_argument("'{}' is not a list of hosts such as n[1-4,7],m2", list);
}

std::vector<std::string_view> split(std::string_view text, char at, bool outside_brackets) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == at && !(outside_brackets && depth > 0))) {
      parts.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    } else if (text[i] == '[') {
      ++depth;
    } else if (text[i] == ']') {
      --depth;
    }
  }
  return parts;
}

// "1-3" as 1, 2, 3; "08-10" keeps its width. Nothing if it is no range or has too many numbers.
std::optional<std::vector<std::string>> expand_range(std::string_view range) {
  const auto bounds = split(range, '-', false);
  if (bounds.size() > 2) return std::nullopt;
  const auto first = parse_whole_number(bounds.front());
  const auto last = parse_whole_number(bounds.back());
  if (!first || !last || *first > *last) return std::nullopt;
  if (*last - *first >= static_cast<std::int64_t>(kHostsMax)) return std::nullopt;
  std::vector<std::string> numbers;
  for (std::int64_t number = *first; number <= *last; ++number) {
    numbers.push_back(fmt::format("{:0{}}", number, bounds.front().size()));
  }
  return numbers;
}

// Appends the names of one entry, "n[1-2]-[a]x", to `hosts`; false if it is malformed or too long.
bool expand_entry(std::string_view entry, std::vector<std::string>& hosts) {
  if (entry.empty()) return false;
  std::vector<std::string> names{""};
  while (!entry.empty()) {
    const std::size_t open = entry.find('[');
    const std::string_view plain = entry.substr(0, open);
    if (plain.find_first_of("] \t\n/") != std::string_view::npos) return false;
    for (std::string& name : names) name += plain;
    if (open == std::string_view::npos) break;
    const std::size_t close = entry.find(']', open);
    if (close == std::string_view::npos) return false;
    std::vector<std::string> longer;
    for (const std::string_view range :
         split(entry.substr(open + 1, close - open - 1), ',', false)) {
      const auto numbers = expand_range(range);
      if (!numbers || names.size() * (longer.size() + numbers->size()) > kHostsMax) return false;
      longer.insert(longer.end(), numbers->begin(), numbers->end());
    }
    std::vector<std::string> product;
    for (const std::string& name : names) {
      for (const std::string& number : longer) product.push_back(name + number);
    }
    names = std::move(product);
    entry.remove_prefix(close + 1);
  }
  if (hosts.size() + names.size() > kHostsMax) return false;
  hosts.insert(hosts.end(), names.begin(), names.end());
  return true;
}

}  // namespace

Result<std::vector<std::string>> expand_host_list(std::string_view list) {
  std::vector<std::string> hosts;
  for (const std::string_view entry : split(list, ',', true)) {
    if (!expand_entry(entry, hosts)) return malformed(list);
  }
  return hosts;
}

}  // namespace godwit
