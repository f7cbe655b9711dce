// train/row_names.h: what the rows of a model's tables are called, kept with the run: the data they
// come from may be gone when somebody asks. Thread-safe for different directories.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/result.h"

namespace godwit {

// By table: the name of each row, in the order of keys.
using RowNames = std::map<std::string, std::vector<std::string>>;

// `directory`/TABLE.txt each, a name a line; makes the directory. A line end in a name becomes a
// blank. Errors name the path; a full disk is kUnavailable.
Result<> write_row_names(Disk& disk, const std::string& directory, const RowNames& names);
// Nothing if there is no such directory.
Result<RowNames> read_row_names(Disk& disk, const std::string& directory);

// Up to `count` of `names` that somebody may have meant: first those that begin with `name`, the
// shortest first, then one that is spelled much like it.
std::vector<std::string> names_near(std::string_view name, std::span<const std::string> names,
                                    std::size_t count);

}  // namespace godwit
