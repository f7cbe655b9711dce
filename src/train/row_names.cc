// train/row_names.cc: one text file a table.
#include "train/row_names.h"

#include <algorithm>

#include "base/nearest_name.h"
#include "base/replace_file.h"
#include "base/try.h"

namespace godwit {
namespace {

constexpr std::string_view kEnding = ".txt";

}  // namespace

Result<> write_row_names(Disk& disk, const std::string& directory, const RowNames& names) {
  if (names.empty()) return {};
  GODWIT_TRY(disk.make_dirs(directory));
  for (const auto& [table, of_rows] : names) {
    std::string text;
    for (const std::string& name : of_rows) {
      text += name;
      std::replace(text.end() - static_cast<std::ptrdiff_t>(name.size()), text.end(), '\n', ' ');
      text += '\n';
    }
    GODWIT_TRY(replace_file(disk, directory + "/" + table + std::string(kEnding), text));
  }
  return {};
}

Result<RowNames> read_row_names(Disk& disk, const std::string& directory) {
  const auto files = disk.list(directory);
  if (!files.ok() && files.error().code() == ErrorCode::kNotFound) return RowNames();
  GODWIT_TRY(files);
  RowNames names;
  for (const std::string& file : *files) {
    if (!file.ends_with(kEnding)) continue;  // what a crash has left
    GODWIT_TRY_ASSIGN(const auto bytes, disk.read(directory + "/" + file));
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    std::vector<std::string>& of_rows = names[file.substr(0, file.size() - kEnding.size())];
    std::size_t begin = 0;
    for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', begin)) {
      of_rows.emplace_back(text.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

std::vector<std::string> names_near(std::string_view name, std::span<const std::string> names,
                                    std::size_t count) {
  std::vector<std::string> near;
  for (const std::string& known : names) {
    if (!name.empty() && known.starts_with(name)) near.push_back(known);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.size() < b.size(); });
  near.resize(std::min(near.size(), count));
  const std::string alike = nearest_name(name, names);
  if (near.size() < count && !alike.empty() &&
      std::find(near.begin(), near.end(), alike) == near.end()) {
    near.push_back(alike);
  }
  return near;
}

}  // namespace godwit
