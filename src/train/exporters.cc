// train/exporters.cc: the list of formats.
#include "train/exporters.h"

#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"

namespace godwit {
namespace {

struct Format {
  const char* name;
  Result<> (*write)(const ExportPlace&, const VectorTable&);
};

constexpr Format kFormats[] = {
    {"npy", export_npy},
    {"w2v-text", export_word2vec_text},
    {"w2v-bin", export_word2vec_binary},
    {"safetensors", export_safetensors},
    {"csv", export_csv},
    {"tb-projector", export_projector},
};

}  // namespace

std::string VectorTable::name_of(std::uint64_t row) const {
  if (!names.empty()) return names[row];
  return std::to_string(keys.empty() ? row : keys[row]);
}

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

Result<std::vector<std::string>> export_table(Disk& disk, const std::string& directory,
                                              const VectorTable& table, std::string_view format) {
  for (const Format& known : kFormats) {
    if (known.name != format) continue;
    GODWIT_TRY(disk.make_dirs(directory));
    std::vector<std::string> paths;
    GODWIT_TRY(known.write({disk, directory + "/" + table.name, paths}, table));
    return paths;
  }
  const auto names = export_formats();
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
  return invalid_argument("there is no format '{}'{}; there are: {}", format,
                          did_you_mean(format, names), all);
}

}  // namespace godwit
