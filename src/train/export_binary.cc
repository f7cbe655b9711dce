// train/export_binary.cc: npy and safetensors.
#include <fmt/format.h>

#include <bit>

#include "base/json_text.h"
#include "base/try.h"
#include "train/export_file.h"
#include "train/exporters.h"

namespace godwit {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are written as they are");

template <class Number>
std::string_view bytes_of(std::span<const Number> numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()};
}

Result<> write_pieces(const ExportPlace& place, const std::string& ending,
                      std::initializer_list<std::string_view> pieces) {
  GODWIT_TRY_ASSIGN(ExportFile file, ExportFile::make(place.disk, place.base + ending));
  for (const std::string_view piece : pieces) GODWIT_TRY(file.add(piece));
  GODWIT_TRY(file.finish());
  place.paths.push_back(place.base + ending);
  return {};
}

// Of version 1.0: magic, length of the text, the text with blanks so that numbers begin at a
// multiple of 64.
std::string npy_header(std::string_view type, std::string_view shape) {
  std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", type, shape);
  constexpr std::size_t kBefore = 10;
  while ((kBefore + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string header = "\x93NUMPY";
  header += '\1';
  header += '\0';
  header += static_cast<char>(text.size() & 0xFF);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

Result<> write_names(const ExportPlace& place, const VectorTable& table) {
  if (table.names.empty()) return {};
  GODWIT_TRY_ASSIGN(ExportFile file, ExportFile::make(place.disk, place.base + ".names.txt"));
  for (const std::string& name : table.names) {
    GODWIT_TRY(file.add(name));
    GODWIT_TRY(file.add("\n"));
  }
  GODWIT_TRY(file.finish());
  place.paths.push_back(place.base + ".names.txt");
  return {};
}

}  // namespace

Result<> export_npy(const ExportPlace& place, const VectorTable& table) {
  const std::span values(table.values);
  const std::span keys(table.keys);
  GODWIT_TRY(
      write_pieces(place, ".npy",
                   {npy_header("<f4", fmt::format("{}, {}", table.rows, table.columns.size())),
                    bytes_of(values)}));
  if (!keys.empty()) {
    GODWIT_TRY(write_pieces(place, ".keys.npy",
                            {npy_header("<u8", fmt::format("{},", keys.size())), bytes_of(keys)}));
  }
  return write_names(place, table);
}

Result<> export_safetensors(const ExportPlace& place, const VectorTable& table) {
  const std::span values(table.values);
  const std::span keys(table.keys);
  JsonText json;
  json.begin_object();
  // Keys come first: whoever maps the file wants 8-byte numbers at multiples of 8.
  if (!keys.empty()) {
    json.key(table.name + ".keys").begin_object().field("dtype", "U64");
    json.key("shape").begin_array().value(keys.size()).end_array();
    json.key("data_offsets").begin_array().value(0).value(keys.size_bytes()).end_array();
    json.end_object();
  }
  json.key(table.name).begin_object().field("dtype", "F32");
  json.key("shape").begin_array().value(table.rows).value(table.columns.size()).end_array();
  json.key("data_offsets").begin_array().value(keys.size_bytes());
  json.value(keys.size_bytes() + values.size_bytes()).end_array().end_object();
  json.end_object();
  std::string header = json.take();
  header.resize((header.size() + 7) / 8 * 8, ' ');
  const auto length = static_cast<std::uint64_t>(header.size());
  GODWIT_TRY(write_pieces(place, ".safetensors",
                          {bytes_of(std::span<const std::uint64_t>(&length, 1)), header,
                           bytes_of(keys), bytes_of(values)}));
  return write_names(place, table);
}

}  // namespace godwit
