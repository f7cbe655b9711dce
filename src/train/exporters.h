// train/exporters.h: tables of vectors as files that other programs read. Pure but for the files.
//
// Rows come in the order of their keys. Numbers in text are the shortest that give the same bits
// back; numbers in binary are little-endian. Files appear whole or not at all (ExportFile).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/ids.h"
#include "godwit/result.h"

namespace godwit {

// What is exported of a table. REQUIRES: values.size() == rows * columns.size(); keys and names
// are none or as many as rows.
struct VectorTable {
  std::string name;
  std::vector<std::string> columns;  // their names
  std::uint64_t rows = 0;
  std::vector<float> values;       // row after row
  std::vector<std::string> names;  // of rows; none: their keys
  std::vector<Key> keys;           // of rows; none: 0, 1, 2...

  std::string name_of(std::uint64_t row) const;
  std::span<const float> row(std::uint64_t i) const {
    return std::span(values).subspan(i * columns.size(), columns.size());
  }
};

// npy, w2v-text, w2v-bin, safetensors, csv, tb-projector.
std::vector<std::string> export_formats();

// Writes into `directory`, which is made. The paths of all files. kInvalidArgument, naming all, for
// a format that there is not; a full disk is kUnavailable, and names the path.
Result<std::vector<std::string>> export_table(Disk& disk, const std::string& directory,
                                              const VectorTable& table, std::string_view format);

// The formats. `base` is the path without its ending; what they wrote is added to `paths`.
struct ExportPlace {
  Disk& disk;
  std::string base;
  std::vector<std::string>& paths;
};

// BASE.npy, of float32, row-major; with keys BASE.keys.npy (uint64), with names BASE.names.txt.
Result<> export_npy(const ExportPlace& place, const VectorTable& table);
// BASE.safetensors with a tensor named after the table; with keys another, TABLE.keys; with names
// BASE.names.txt.
Result<> export_safetensors(const ExportPlace& place, const VectorTable& table);
// BASE.txt: `rows columns`, then `name numbers...` each; blanks in names become '_'.
Result<> export_word2vec_text(const ExportPlace& place, const VectorTable& table);
// BASE.bin: the same with binary numbers, as word2vec writes it.
Result<> export_word2vec_binary(const ExportPlace& place, const VectorTable& table);
// BASE.csv: a header, then the name and the numbers of each row.
Result<> export_csv(const ExportPlace& place, const VectorTable& table);
// BASE.vectors.tsv and BASE.metadata.tsv of TensorBoard's projector; tabs in names become blanks.
Result<> export_projector(const ExportPlace& place, const VectorTable& table);

}  // namespace godwit
