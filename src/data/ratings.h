// data/ratings.h: ratings that rows (users) gave to columns (items). Pure but for reading files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/data_files.h"
#include "data/understood.h"
#include "godwit/result.h"

namespace godwit {

struct Rating {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  float value = 0;
};

struct Ratings {
  std::vector<Rating> train, valid, test;
  std::vector<std::string> row_names, column_names;  // empty if generated
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  double noise_floor = 0;  // > 0 if generated: the RMSE of the true model on `test`
  Understood understood;
};

// Lines `user item rating [time]` separated by tabs, '::', ',', ';' or blanks, with or without a
// header; with a header that names them (user, item or movie, rating) the columns may stand in any
// order among others. Rows and columns are numbered in the order they appear (train, valid, test).
// Valid and test are empty if there are no such files: see split_ratings().
// kInvalidArgument naming file:line and the text for a malformed line, a rating that is not a
// finite number, no ratings at all; errors of LineReader.
Result<Ratings> read_ratings(const DataFiles& files);

// Replaces names by what `file` calls them: lines `name title ...`, e.g. films by their ids. Names
// that are not in the file stay. Says how many were found.
Result<std::uint64_t> rename_from(const DataFile& file, std::vector<std::string>& names);

}  // namespace godwit
