// data/catalog.cc: names and where their files are.
#include "data/catalog.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/check.h"
#include "base/errors.h"
#include "base/nearest_name.h"
#include "base/try.h"

namespace godwit {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGenerated = "generated:";

// Sets below GODWIT_DATA.
struct KnownFiles {
  std::string_view name;
  std::string_view train;
  std::string_view test;
  std::string_view titles;
};

constexpr std::array kKnownFiles = {
    KnownFiles{"wn18rr", "wn18rr/WN18RR.tar.gz", "", "wn18rr/WN18RR.entity_names.tsv.gz"},
    KnownFiles{"movietweetings-100k", "movietweetings-100k/ratings.dat.gz", "",
               "movietweetings-100k/movies.dat.gz"},
    KnownFiles{"simplewiki8", "text/simplewiki8.xz", "", ""},
    KnownFiles{"a9a", "a9a/a9a.gz", "a9a/a9a.t.gz", ""},
};
constexpr std::string_view kAnalogies = "text/questions-words.txt";

bool is_there(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error);
}

bool holds_images(const std::string& path) {
  const fs::path file = fs::path(path) / "train-images-idx3-ubyte";
  return is_there(file) || is_there(file.string() + ".gz");
}

// "ratings" of "dir/ratings.dat.gz", "my" of "my/".
std::string short_name(const std::string& path) {
  fs::path last = fs::path(path).lexically_normal();
  if (!last.has_filename()) last = last.parent_path();
  std::string name = last.filename().string();
  if (const std::size_t dot = name.find('.', 1); dot != std::string::npos) name.resize(dot);
  return name.empty() || name == "." ? "data" : name;
}

Result<DataSource> find_path(const std::string& path) {
  DataSource source{.name = short_name(path)};
  if (holds_images(path)) {
    source.kind = SourceKind::kImages;
    source.dir = path;
    return source;
  }
  GODWIT_TRY_ASSIGN(source.files, find_data_files(path));
  return source;
}

Result<DataSource> find_package(SourceKind kind, const std::string& name, const std::string& dir,
                                std::string_view package) {
  if (!is_there(dir)) {
    return not_found(
        "{} is looked for in '{}', which does not exist: install the package {} "
        "(apt-get install {})",
        name, dir, package, package);
  }
  return DataSource{.kind = kind, .name = name, .dir = dir};
}

Result<DataSource> find_known(const Catalog& catalog, const KnownFiles& known) {
  if (catalog.data_dir.empty()) {
    return not_found(
        "{} is a known data set, but GODWIT_DATA does not say where such sets are: set "
        "it to the directory that has {}",
        known.name, known.train);
  }
  const fs::path dir(catalog.data_dir);
  const fs::path train = dir / known.train;
  if (!is_there(train)) {
    return not_found("{} is a known data set, but '{}' (from GODWIT_DATA) is not there", known.name,
                     train.string());
  }
  DataSource source{.name = std::string(known.name)};
  GODWIT_TRY_ASSIGN(source.files, find_data_files(train.string()));
  if (!known.test.empty() && is_there(dir / known.test)) {
    source.files.test = DataFile{.path = (dir / known.test).string()};
  }
  if (!known.titles.empty() && is_there(dir / known.titles)) {
    source.titles = DataFile{.path = (dir / known.titles).string()};
  }
  return source;
}

}  // namespace

Result<DataSource> find_first_data(const Catalog& catalog, const std::vector<std::string>& names) {
  GODWIT_CHECK(!names.empty());
  for (const std::string& name : names) {
    auto found = find_data(catalog, name);
    if (found.ok()) return found;
  }
  return find_data(catalog, names.front());
}

std::vector<std::string> known_data_names() {
  std::vector<std::string> names = {"wordnet", "fashion-mnist"};
  for (const KnownFiles& known : kKnownFiles) names.emplace_back(known.name);
  return names;
}

Result<DataSource> find_data(const Catalog& catalog, const std::string& name) {
  if (name.empty()) return invalid_argument("the name of the data set is empty");
  if (is_there(name)) return find_path(name);
  if (name.starts_with(kGenerated)) {
    const std::string_view kind = std::string_view(name).substr(kGenerated.size());
    return DataSource{.kind = SourceKind::kGenerated,
                      .name = std::string(kind.substr(0, std::min(kind.find(','), kind.size()))),
                      .spec = name};
  }
  if (name == "wordnet") {
    return find_package(SourceKind::kWordnet, name, catalog.wordnet_dir, "wordnet-base");
  }
  if (name == "fashion-mnist") {
    return find_package(SourceKind::kImages, name, catalog.fashion_mnist_dir,
                        "dataset-fashion-mnist");
  }
  for (const KnownFiles& known : kKnownFiles) {
    if (known.name == name) return find_known(catalog, known);
  }
  const std::vector<std::string> names = known_data_names();
  const std::string nearest = nearest_name(name, names);
  const bool is_path = name.find('/') != std::string::npos || name.find('.') != std::string::npos;
  if (is_path && nearest.empty()) return find_path(name);
  std::string all;
  for (const std::string& known : names) all += known + ", ";
  return not_found(
      "there is no file, directory or known data set '{}'{}: known are {}and "
      "generated:KIND",
      name, nearest.empty() ? "" : " (did you mean '" + nearest + "'?)", all);
}

std::optional<DataFile> find_analogies(const Catalog& catalog) {
  if (catalog.data_dir.empty()) return std::nullopt;
  const fs::path path = fs::path(catalog.data_dir) / kAnalogies;
  if (!is_there(path)) return std::nullopt;
  return DataFile{.path = path.string()};
}

}  // namespace godwit
