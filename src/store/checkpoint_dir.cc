// store/checkpoint_dir.cc: renames and syncs in an order that survives.
#include "store/checkpoint_dir.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <utility>

#include "base/errors.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "store/checked_file.h"

namespace godwit {
namespace {

constexpr std::string_view kPrefix = "step-";
constexpr std::string_view kOld = ".old";
constexpr std::string_view kTmp = ".tmp";
constexpr const char* kLatest = "LATEST";

std::optional<CheckpointDir::Entry> parse_name(const std::string& name) {
  std::string_view number = name;
  if (!number.starts_with(kPrefix)) return std::nullopt;
  number.remove_prefix(kPrefix.size());
  const bool is_old = number.ends_with(kOld);
  if (is_old) number.remove_suffix(kOld.size());
  const auto step = parse_number<std::int64_t>(number);
  if (!step || *step < 0) return std::nullopt;
  return CheckpointDir::Entry{.name = name, .step = *step, .is_old = is_old};
}

}  // namespace

std::string CheckpointDir::step_name(std::int64_t step) {
  return fmt::format("{}{:08}", kPrefix, step);
}

Result<std::vector<CheckpointDir::Entry>> CheckpointDir::list() const {
  GODWIT_TRY_ASSIGN(const auto names, disk_->list(path_));
  std::string latest;
  if (const auto bytes = disk_->read(path_of(kLatest)); bytes.ok()) {
    latest.assign(reinterpret_cast<const char*>(bytes->data()), bytes->size());
    latest = latest.substr(0, latest.find('\n'));
  }
  std::vector<Entry> entries;
  for (const std::string& name : names) {
    if (auto entry = parse_name(name)) {
      entry->is_latest = name == latest;
      entries.push_back(std::move(*entry));
    }
  }
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return std::tuple(!a.is_latest, -a.step, a.is_old) <
           std::tuple(!b.is_latest, -b.step, b.is_old);
  });
  return entries;
}

Result<> CheckpointDir::begin(std::int64_t step) {
  GODWIT_TRY(disk_->make_dirs(path_));
  GODWIT_TRY(remove_leftovers());
  return disk_->make_dirs(tmp_path(step));
}

Result<> CheckpointDir::commit(std::int64_t step) {
  const std::string name = step_name(step);
  const std::string old = name + std::string(kOld);
  GODWIT_TRY(disk_->sync_dir(tmp_path(step)));
  GODWIT_TRY_ASSIGN(const auto names, disk_->list(path_));
  const auto is_there = [&](const std::string& wanted) {
    return std::find(names.begin(), names.end(), wanted) != names.end();
  };
  if (is_there(name)) {
    if (is_there(old)) GODWIT_TRY(remove_checkpoint(old));
    GODWIT_TRY(disk_->rename(path_of(name), path_of(old)));
  }
  if (auto renamed = disk_->rename(tmp_path(step), path_of(name)); !renamed.ok()) {
    if (is_there(name)) (void)disk_->rename(path_of(old), path_of(name)).ok();
    return renamed;
  }
  GODWIT_TRY(disk_->sync_dir(path_));
  const std::string latest = path_of(kLatest);
  GODWIT_TRY(write_file(*disk_, latest + std::string(kTmp), name + "\n"));
  GODWIT_TRY(disk_->rename(latest + std::string(kTmp), latest));
  GODWIT_TRY(disk_->sync_dir(path_));
  // It has served: whoever lists the directory may see it for a while.
  if (is_there(name) || is_there(old)) (void)remove_checkpoint(old).ok();
  return {};
}

void CheckpointDir::abandon(std::int64_t step) {
  (void)remove_tree(tmp_path(step)).ok();
}

Result<std::vector<std::string>> CheckpointDir::prune(std::int64_t keep) {
  if (keep < 1) return invalid_argument("keep is {}, but must be at least 1", keep);
  GODWIT_TRY_ASSIGN(const auto entries, list());
  std::vector<std::string> removed;
  for (std::size_t i = static_cast<std::size_t>(keep); i < entries.size(); ++i) {
    GODWIT_TRY(remove_checkpoint(entries[i].name));
    removed.push_back(entries[i].name);
  }
  GODWIT_TRY(remove_leftovers());
  return removed;
}

Result<> CheckpointDir::remove_tree(const std::string& path) {
  const auto names = disk_->list(path);
  if (!names.ok()) return disk_->remove(path);  // a file
  for (const std::string& name : *names) GODWIT_TRY(remove_tree(path + "/" + name));
  return disk_->remove(path);
}

Result<> CheckpointDir::remove_checkpoint(const std::string& name) {
  const std::string gone = path_of("gone-" + name + std::string(kTmp));
  GODWIT_TRY(disk_->rename(path_of(name), gone));
  GODWIT_TRY(disk_->sync_dir(path_));
  return remove_tree(gone);
}

Result<> CheckpointDir::remove_leftovers() {
  GODWIT_TRY_ASSIGN(const auto names, disk_->list(path_));
  for (const std::string& name : names) {
    const bool is_ours =
        name.starts_with(kPrefix) || name.starts_with("gone-step-") || name.starts_with(kLatest);
    if (is_ours && name.ends_with(kTmp)) GODWIT_TRY(remove_tree(path_of(name)));
  }
  return {};
}

}  // namespace godwit
