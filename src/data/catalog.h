// data/catalog.h: what a name given to --data means. Pure but for looking at the file system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/data_files.h"
#include "godwit/result.h"

namespace godwit {

struct Catalog {
  std::string data_dir;  // GODWIT_DATA; may be empty
  std::string wordnet_dir = "/usr/share/wordnet";
  std::string fashion_mnist_dir = "/usr/share/datasets/fashion-mnist";
};

enum class SourceKind {
  kFiles,      // `files`: what is in them is for the reader to find out
  kWordnet,    // `dir`
  kImages,     // `dir`
  kGenerated,  // `spec`
};

// Where a data set is, not yet read: load.h reads it.
struct DataSource {
  SourceKind kind = SourceKind::kFiles;
  std::string name;  // short, for titles and names of run directories: "wn18rr", "my"
  DataFiles files;
  std::optional<DataFile> titles;  // what entities or columns are called: see rename_from()
  std::string dir;
  std::string spec;  // all of "generated:..."
};

// An existing path wins over a name. Names: wordnet, fashion-mnist, wn18rr, movietweetings-100k,
// simplewiki8, a9a, and "generated:KIND[,key=value...]" (generated.h, which checks the rest). A
// directory with train-images-idx3-ubyte* is images. kNotFound: names the nearest known name or
// path, and what is needed for a name to be found (a package, GODWIT_DATA). Errors of
// find_data_files().
Result<DataSource> find_data(const Catalog& catalog, const std::string& name);

// Of several names the first that find_data() finds; if it finds none, the first one's error.
// REQUIRES: there is a name.
Result<DataSource> find_first_data(const Catalog& catalog, const std::vector<std::string>& names);

// The names that find_data() knows, without "generated:...".
std::vector<std::string> known_data_names();

// The questions for word vectors, if they are in the catalog.
std::optional<DataFile> find_analogies(const Catalog& catalog);

}  // namespace godwit
