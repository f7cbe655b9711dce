// train/saved_model.cc: what was written comes from the checkpoint, the rest from tables that
// nobody has touched.
#include "train/saved_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/parse_number.h"
#include "base/try.h"
#include "godwit/session.h"
#include "train/pull_rows.h"
#include "train/tasks.h"

namespace godwit {
namespace {

constexpr std::size_t kNamesShown = 5;
constexpr std::string_view kConstant = "model.";  // begins the notes that are constants

std::string joined(std::span<const std::string> words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// `values` as all rows of the table begin. A session that is alone gives the bits that training
// began with, and refuses what does not fit into memory.
Result<> fill_as_begun(const TableSpec& spec, std::vector<float>& values) {
  GODWIT_TRY_ASSIGN(Session session, Session::open({.nodes = 1}));
  TableSpec untouched = spec;
  untouched.consistency = {};
  GODWIT_TRY_ASSIGN(const Table table, session.table(untouched));
  GODWIT_TRY_ASSIGN(Worker worker, session.worker());
  GODWIT_TRY(pull_rows(worker, table, spec.rows, values));
  return session.close();
}

// Nodes have written one part after the other.
void sort_by_key(ModelTable& table) {
  if (std::is_sorted(table.keys.begin(), table.keys.end())) return;
  std::vector<std::size_t> order(table.keys.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return table.keys[a] < table.keys[b]; });
  std::vector<Key> keys;
  std::vector<float> values;
  values.reserve(table.values.size());
  for (const std::size_t i : order) {
    keys.push_back(table.keys[i]);
    const auto row = table.row(i);
    values.insert(values.end(), row.begin(), row.end());
  }
  table.keys = std::move(keys);
  table.values = std::move(values);
}

}  // namespace

std::string ModelTable::name_of(std::size_t row) const {
  if (!names.empty()) return names[row];
  return std::to_string(keys.empty() ? row : keys[row]);
}

Result<std::size_t> ModelTable::find(std::string_view name, std::string_view what) const {
  if (!names.empty()) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    const auto near = names_near(name, names, kNamesShown);
    return not_found("there is no {} '{}'{}{}", what, name,
                     near.empty() ? "" : "; near it: ", joined(near));
  }
  if (const auto key = parse_number<Key>(name)) {
    if (keys.empty() && *key < rows()) return static_cast<std::size_t>(*key);
    const auto found = std::lower_bound(keys.begin(), keys.end(), *key);
    if (found != keys.end() && *found == *key) {
      return static_cast<std::size_t>(found - keys.begin());
    }
  }
  if (!keys.empty()) return not_found("there is no {} '{}' in the model", what, name);
  return not_found("there is no {} '{}': they have no names but their numbers, 0 to {}", what, name,
                   rows() - 1);
}

SavedModel::SavedModel(CheckpointReader reader, RowNames names, std::string task, Settings settings)
    : reader_(std::move(reader)),
      names_(std::move(names)),
      task_(std::move(task)),
      settings_(std::move(settings)) {}

Result<SavedModel> SavedModel::open(Disk& disk, const std::string& run) {
  const std::string directory = checkpoints_of(run);
  auto reader = CheckpointReader::open(directory);
  if (!reader.ok()) {
    const auto all = list_checkpoints(directory);
    if (all.ok() && !all->empty()) {
      return corruption("{}: no checkpoint can be used: {}", directory, all->front().problem);
    }
    if (reader.error().code() != ErrorCode::kNotFound) return std::move(reader).error();
    return not_found(
        "the run '{}' has no checkpoint: one is written every save_every seconds, "
        "and at the end",
        run);
  }
  GODWIT_TRY_ASSIGN(RowNames names, read_row_names(disk, names_of(run)));
  const auto& notes = reader->notes().entries;
  const auto task = notes.find("task");
  if (task == notes.end()) {
    return invalid_argument("{} is not of a run of `godwit train`", reader->path());
  }
  GODWIT_TRY_ASSIGN(const TaskKind* kind, find_task_kind(task->second));
  Settings settings = settings_of(*kind);
  for (const Setting& known : std::vector<Setting>(settings.all())) {
    const auto note = notes.find("setting." + known.name);
    if (note == notes.end()) continue;  // saved before there was such a setting
    GODWIT_TRY(settings.set(known.name, note->second, SettingSource::kFile));
  }
  return SavedModel(*reader, std::move(names), task->second, std::move(settings));
}

std::map<std::string, double> SavedModel::constants() const {
  std::map<std::string, double> constants;
  for (const auto& [note, text] : reader_.notes().entries) {
    const auto number = parse_number<double>(text);
    if (note.starts_with(kConstant) && number) constants[note.substr(kConstant.size())] = *number;
  }
  return constants;
}

Result<double> SavedModel::constant(const std::string& name) const {
  const auto all = constants();
  const auto found = all.find(name);
  if (found != all.end()) return found->second;
  return not_found("{} lacks '{}': train again, this one was saved without it", reader_.path(),
                   name);
}

std::vector<std::string> SavedModel::table_names() const {
  std::vector<std::string> names;
  for (const SavedTable& table : reader_.tables()) names.push_back(table.spec.name);
  return names;
}

Result<ModelTable> SavedModel::read(const std::string& table) const {
  const auto& saved = reader_.tables();
  const auto found = std::find_if(saved.begin(), saved.end(),
                                  [&](const SavedTable& each) { return each.spec.name == table; });
  if (found == saved.end()) {
    const auto all = table_names();
    return invalid_argument("there is no table '{}'{}; there are: {}", table,
                            did_you_mean(table, all), joined(all));
  }
  ModelTable read{.spec = found->spec};
  const bool is_unbounded = read.spec.rows == kUnbounded;
  if (!is_unbounded) GODWIT_TRY(fill_as_begun(read.spec, read.values));
  GODWIT_TRY(reader_.for_each_row(table, [&](Key key, std::span<const float> values, auto) {
    if (is_unbounded) {
      read.keys.push_back(key);
      read.values.insert(read.values.end(), values.begin(), values.end());
    } else {
      std::copy(values.begin(), values.end(),
                read.values.begin() + static_cast<std::ptrdiff_t>(key * values.size()));
    }
  }));
  sort_by_key(read);
  if (const auto names = names_.find(table); names != names_.end()) {
    if (names->second.size() != read.rows()) {
      return corruption("there are {} names for the {} rows of table '{}'", names->second.size(),
                        read.rows(), table);
    }
    read.names = names->second;
  }
  return read;
}

}  // namespace godwit
