// store/row_shard.cc: the header by a JSON library that is told not to throw, the rest by offsets.
#include "store/row_shard.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/check.h"
#include "base/errors.h"
#include "base/json_text.h"
#include "base/try.h"

namespace godwit {
namespace {

using nlohmann::json;

constexpr std::uint64_t kLengthBytes = 8;
constexpr std::uint64_t kHeaderBytesMax = std::uint64_t{1} << 20;
constexpr std::uint64_t kFloatsMax = std::uint64_t{1} << 26;  // of a row: more than any rule keeps
constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;

std::uint64_t rows_at_a_time(const ShardShape& shape) {
  const std::uint64_t row = sizeof(Key) + 4 * std::max(shape.row_length, shape.state_length);
  return std::max<std::uint64_t>(kChunkBytes / row, 1);
}

// Between the order of bytes here and in the file.
template <class Number>
void turn_bytes(std::span<Number> numbers) {
  if constexpr (std::endian::native == std::endian::little) return;
  for (Number& number : numbers) number = std::bit_cast<Number>(internal::to_little(number));
}

void write_tensor(JsonText& out, const char* name, const char* type, std::uint64_t rows,
                  std::optional<std::uint64_t> length, std::uint64_t begin, std::uint64_t bytes) {
  out.key(name).begin_object().field("dtype", type).key("shape").begin_array().value(rows);
  if (length) out.value(*length);
  out.end_array().key("data_offsets").begin_array().value(begin).value(begin + bytes);
  out.end_array().end_object();
}

std::string header_of(const ShardShape& shape) {
  const std::uint64_t keys = shape.rows * sizeof(Key);
  const std::uint64_t values = shape.rows * shape.row_length * sizeof(float);
  const std::uint64_t state = shape.rows * shape.state_length * sizeof(float);
  JsonText out;
  out.begin_object();
  write_tensor(out, "keys", "U64", shape.rows, std::nullopt, 0, keys);
  write_tensor(out, "values", "F32", shape.rows, shape.row_length, keys, values);
  if (shape.state_length != 0) {
    write_tensor(out, "state", "F32", shape.rows, shape.state_length, keys + values, state);
  }
  out.end_object();
  std::string text = out.take();
  text.resize((text.size() + 7) / 8 * 8, ' ');  // numbers are aligned in memory that maps the file
  return text;
}

Result<> write_floats(CheckedFile& file, const ShardShape& shape, std::span<const Key> keys,
                      ShardPart part, const ReadRows& read) {
  const std::uint64_t length = part == ShardPart::kValues ? shape.row_length : shape.state_length;
  const auto step = static_cast<std::size_t>(rows_at_a_time(shape));
  std::vector<float> floats;
  for (std::size_t begin = 0; begin < keys.size() && length > 0; begin += step) {
    const auto some = keys.subspan(begin, std::min(step, keys.size() - begin));
    floats.resize(some.size() * static_cast<std::size_t>(length));
    read(some, part, floats);
    turn_bytes(std::span(floats));
    GODWIT_TRY(file.append(std::as_bytes(std::span(floats))));
  }
  return {};
}

struct Tensor {
  std::vector<std::uint64_t> shape;
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// Nothing if it is not a tensor of this type.
std::optional<Tensor> parse_tensor(const json& from, const char* type) {
  if (!from.is_object() || from.size() != 3) return std::nullopt;
  const auto dtype = from.find("dtype");
  const auto shape = from.find("shape");
  const auto offsets = from.find("data_offsets");
  if (dtype == from.end() || shape == from.end() || offsets == from.end() || *dtype != type ||
      !shape->is_array() || !offsets->is_array() || offsets->size() != 2) {
    return std::nullopt;
  }
  Tensor tensor;
  for (const json& size : *shape) {
    if (!size.is_number_unsigned()) return std::nullopt;
    tensor.shape.push_back(size.get<std::uint64_t>());
  }
  if (!(*offsets)[0].is_number_unsigned() || !(*offsets)[1].is_number_unsigned()) {
    return std::nullopt;
  }
  tensor.begin = (*offsets)[0].get<std::uint64_t>();
  tensor.end = (*offsets)[1].get<std::uint64_t>();
  return tensor;
}

// Whether the tensor's rows of `length` numbers fill its bytes, which begin at `begin`.
bool fits(const Tensor& tensor, std::uint64_t rows, std::uint64_t row_bytes, std::uint64_t begin) {
  if (tensor.begin != begin || tensor.end < tensor.begin || tensor.shape[0] != rows) return false;
  const std::uint64_t bytes = tensor.end - tensor.begin;
  return bytes % row_bytes == 0 && bytes / row_bytes == rows;
}

bool is_matrix(const std::optional<Tensor>& tensor) {
  return tensor && tensor->shape.size() == 2 && tensor->shape[1] > 0 &&
         tensor->shape[1] <= kFloatsMax;
}

}  // namespace

Result<FileSum> write_shard(Disk& disk, const std::string& path, const ShardShape& shape,
                            std::span<const Key> keys, const ReadRows& read) {
  GODWIT_CHECK_EQ(keys.size(), shape.rows);
  GODWIT_TRY_ASSIGN(CheckedFile file, CheckedFile::create(disk, path));
  std::vector<std::byte> head;
  ByteWriter writer(head);
  const std::string header = header_of(shape);
  writer.write_u64(header.size());
  writer.write_bytes(std::as_bytes(std::span(header)));
  GODWIT_TRY(file.append(head));
  constexpr std::size_t kKeysAtATime = kChunkBytes / sizeof(Key);
  std::vector<Key> turned;
  for (std::size_t begin = 0; begin < keys.size(); begin += kKeysAtATime) {
    const auto some = keys.subspan(begin, std::min(kKeysAtATime, keys.size() - begin));
    turned.assign(some.begin(), some.end());
    turn_bytes(std::span(turned));
    GODWIT_TRY(file.append(std::as_bytes(std::span(turned))));
  }
  GODWIT_TRY(write_floats(file, shape, keys, ShardPart::kValues, read));
  GODWIT_TRY(write_floats(file, shape, keys, ShardPart::kState, read));
  return file.finish();
}

Result<ShardReader> ShardReader::open(Disk& disk, const std::string& path) {
  ShardReader reader(disk, path);
  GODWIT_TRY_ASSIGN(const std::uint64_t size, disk.size(path));
  std::array<std::byte, kLengthBytes> length{};
  if (size < kLengthBytes) return corruption("'{}' has {} bytes: too few", path, size);
  GODWIT_TRY(disk.read_range(path, 0, length));
  const std::uint64_t header = ByteReader(length).read_u64();
  if (header > kHeaderBytesMax || header > size - kLengthBytes) {
    return corruption("'{}': a header of {} bytes, in a file of {}", path, header, size);
  }
  std::string text(static_cast<std::size_t>(header), '\0');
  GODWIT_TRY(disk.read_range(path, kLengthBytes, std::as_writable_bytes(std::span(text))));
  reader.data_begin_ = kLengthBytes + header;
  GODWIT_TRY(reader.parse_header(text, size - reader.data_begin_));
  return reader;
}

Result<> ShardReader::parse_header(std::string_view text, std::uint64_t data_bytes) {
  const json header = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!header.is_object()) return corruption("'{}': the header is not a JSON object", path_);
  std::optional<Tensor> keys;
  std::optional<Tensor> values;
  std::optional<Tensor> state;
  for (const auto& [name, value] : header.items()) {
    if (name == "__metadata__") continue;
    if (name == "keys") {
      keys = parse_tensor(value, "U64");
    } else if (name == "values") {
      values = parse_tensor(value, "F32");
    } else if (name == "state") {
      state = parse_tensor(value, "F32");
      if (!is_matrix(state)) return corruption("'{}': `state` is no F32 matrix", path_);
    } else {
      return corruption("'{}': a tensor '{}' does not belong there", path_, name.substr(0, 40));
    }
  }
  if (!keys || keys->shape.size() != 1) return corruption("'{}': `keys` is no U64 array", path_);
  if (!is_matrix(values)) return corruption("'{}': `values` is no F32 matrix", path_);
  shape_ = {.rows = keys->shape[0],
            .row_length = values->shape[1],
            .state_length = state ? state->shape[1] : 0};
  const std::uint64_t end = state ? state->end : values->end;
  if (!fits(*keys, shape_.rows, sizeof(Key), 0) ||
      !fits(*values, shape_.rows, 4 * shape_.row_length, keys->end) ||
      (state && !fits(*state, shape_.rows, 4 * shape_.state_length, values->end))) {
    return corruption("'{}': the shapes and places of its tensors contradict each other", path_);
  }
  if (end != data_bytes) {
    return corruption("'{}': {} bytes follow the header, but it tells of {}", path_, data_bytes,
                      end);
  }
  return {};
}

Result<> ShardReader::for_each(const RowsFn& fn) const {
  const std::uint64_t step = rows_at_a_time(shape_);
  const std::uint64_t values_begin = data_begin_ + shape_.rows * sizeof(Key);
  const std::uint64_t state_begin = values_begin + shape_.rows * shape_.row_length * 4;
  std::vector<Key> keys;
  std::vector<float> values;
  std::vector<float> state;
  std::optional<Key> last;
  const auto read = [&](std::uint64_t at, auto& numbers, std::uint64_t count) -> Result<> {
    numbers.resize(static_cast<std::size_t>(count));
    GODWIT_TRY(disk_->read_range(path_, at, std::as_writable_bytes(std::span(numbers))));
    turn_bytes(std::span(numbers));
    return {};
  };
  for (std::uint64_t begin = 0; begin < shape_.rows; begin += step) {
    const std::uint64_t rows = std::min(step, shape_.rows - begin);
    GODWIT_TRY(read(data_begin_ + begin * sizeof(Key), keys, rows));
    for (const Key key : keys) {
      if (last && key <= *last) {
        return corruption("'{}': key {} comes after key {}", path_, key, *last);
      }
      last = key;
    }
    const std::uint64_t length = shape_.row_length;
    GODWIT_TRY(read(values_begin + begin * length * 4, values, rows * length));
    GODWIT_TRY(
        read(state_begin + begin * shape_.state_length * 4, state, rows * shape_.state_length));
    GODWIT_TRY(fn(keys, values, state));
  }
  return {};
}

}  // namespace godwit
