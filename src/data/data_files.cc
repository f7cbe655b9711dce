// data/data_files.cc: finds the parts of a set by their names.
#include "data/data_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"
#include "data/byte_stream.h"
#include "data/line_reader.h"
#include "data/tar.h"

namespace godwit {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kListedMax = 20;

std::vector<std::string> names_in(const fs::path& dir) {
  std::vector<std::string> names;
  std::error_code error;
  fs::directory_iterator entry(dir, error);
  while (!error && entry != fs::directory_iterator()) {
    names.push_back(entry->path().filename().string());
    entry.increment(error);
  }
  std::ranges::sort(names);
  return names;
}

std::string listed(const std::vector<std::string>& names) {
  if (names.empty()) return "nothing";
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kListedMax); ++i) {
    text += (i == 0 ? "" : ", ") + shown(names[i]);
  }
  if (names.size() > kListedMax) text += fmt::format(" and {} more", names.size() - kListedMax);
  return text;
}

// The word before the first dot of the last component: "train" of "set/train.txt.gz".
std::string_view stem(std::string_view name) {
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  return name.substr(0, std::min(name.find('.'), name.size()));
}

Result<> claim(std::optional<DataFile>& part, DataFile file) {
  if (part) {
    return invalid_argument("'{}' and '{}' claim to be the same part of a set: leave one of them",
                            part->text(), file.text());
  }
  part = std::move(file);
  return {};
}

// `candidates` have the members or files that are there, `what` names the whole.
Result<DataFiles> parts_among(const std::vector<DataFile>& candidates,
                              const std::vector<std::string>& names, const std::string& what) {
  std::optional<DataFile> train;
  std::optional<DataFile> valid;
  std::optional<DataFile> test;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const std::string_view part = stem(names[i]);
    if (part == "train") GODWIT_TRY(claim(train, candidates[i]));
    if (part == "valid" || part == "dev" || part == "validation") {
      GODWIT_TRY(claim(valid, candidates[i]));
    }
    if (part == "test") GODWIT_TRY(claim(test, candidates[i]));
  }
  if (!train) return not_found("there is no train.* in '{}': it holds {}", what, listed(names));
  return DataFiles{.train = *std::move(train), .valid = std::move(valid), .test = std::move(test)};
}

Result<DataFiles> parts_of_directory(const std::string& path) {
  std::vector<DataFile> candidates;
  std::vector<std::string> names = names_in(path);
  std::error_code error;
  for (const std::string& name : names) {
    candidates.push_back({.path = (fs::path(path) / name).string()});
  }
  for (std::size_t i = candidates.size(); i-- > 0;) {
    if (fs::is_regular_file(candidates[i].path, error)) continue;
    candidates.erase(candidates.begin() + static_cast<std::ptrdiff_t>(i));
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(i));
  }
  GODWIT_TRY_ASSIGN(DataFiles files, parts_among(candidates, names, path));
  if (fs::file_size(files.train.path, error) == 0) {
    return invalid_argument("'{}' is empty", files.train.path);
  }
  return files;
}

Result<DataFiles> parts_of_tar(const std::string& path) {
  GODWIT_TRY_ASSIGN(std::unique_ptr<ByteStream> stream, open_stream({.path = path}));
  TarReader tar(path, std::move(stream));
  std::vector<DataFile> candidates;
  std::vector<std::string> names;
  for (;;) {
    GODWIT_TRY_ASSIGN(const auto member, tar.next());
    if (!member) break;
    // What some archivers add beside every file, e.g. ._train.txt.
    if (stem(member->name).empty()) continue;
    candidates.push_back({.path = path, .member = member->name});
    names.push_back(member->name);
  }
  return parts_among(candidates, names, path);
}

Error no_such_path(const std::string& path) {
  const fs::path wanted(path);
  const fs::path dir = wanted.has_parent_path() ? wanted.parent_path() : fs::path(".");
  std::error_code error;
  if (!fs::is_directory(dir, error)) {
    return not_found("there is no '{}': its directory '{}' does not exist either", path,
                     dir.string());
  }
  const std::string nearest = nearest_name(wanted.filename().string(), names_in(dir));
  if (nearest.empty()) return not_found("there is no file or directory '{}'", path);
  const fs::path meant = wanted.has_parent_path() ? dir / nearest : fs::path(nearest);
  return not_found("there is no file or directory '{}' (did you mean '{}'?)", path, meant.string());
}

// Enough of the front to tell whether it is empty or a tar.
Result<std::string> first_block(const DataFile& file) {
  GODWIT_TRY_ASSIGN(const std::unique_ptr<ByteStream> stream, open_stream(file));
  std::string block(kTarBlockBytes, '\0');
  std::size_t have = 0;
  while (have < block.size()) {
    GODWIT_TRY_ASSIGN(const std::size_t count, stream->read(std::span<char>(block).subspan(have)));
    if (count == 0) break;
    have += count;
  }
  block.resize(have);
  return block;
}

}  // namespace

std::string DataFile::text() const {
  return member.empty() ? path : path + '(' + member + ')';
}

Result<DataFiles> find_data_files(const std::string& path) {
  std::error_code error;
  if (path.empty() || !fs::exists(path, error)) return no_such_path(path);
  if (fs::is_directory(path, error)) return parts_of_directory(path);
  GODWIT_TRY_ASSIGN(const std::string block, first_block({.path = path}));
  if (block.empty()) return invalid_argument("'{}' is empty", path);
  if (looks_like_tar(block)) return parts_of_tar(path);
  return DataFiles{.train = {.path = path}};
}

}  // namespace godwit
