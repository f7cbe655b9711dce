// data/data_files.h: which files a data set consists of. Pure but for looking at the file system.
#pragma once

#include <optional>
#include <string>

#include "godwit/result.h"

namespace godwit {

struct DataFile {
  std::string path;
  std::string member;  // name inside the tar (maybe compressed) at `path`; empty: the file itself

  // "dir/set.tar.gz(train.txt)" or the path, for messages.
  std::string text() const;
};

struct DataFiles {
  DataFile train;
  std::optional<DataFile> valid;
  std::optional<DataFile> test;
};

// A file is a set without parts. A directory or a tar (plain, gzip, xz, zstd) must hold one file
// train or train.*, and may hold valid.* (or dev.*, validation.*) and test.*.
// kNotFound: no such path (names the nearest one in its directory), or no train.* (lists what is
// there). kInvalidArgument: the file is empty, or two files claim to be one part. kCorruption: the
// tar is damaged.
Result<DataFiles> find_data_files(const std::string& path);

}  // namespace godwit
