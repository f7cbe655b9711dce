// data/images.cc: IDX: two zero bytes, a type, a number of dimensions, big-endian sizes, bytes.
#include "data/images.h"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>

#include "base/errors.h"
#include "base/number_text.h"
#include "base/try.h"
#include "data/byte_stream.h"

namespace godwit {

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{4} << 30;

struct IdxFile {
  std::vector<std::uint32_t> sizes;
  std::vector<std::uint8_t> values;
};

Result<IdxFile> read_idx(const std::string& dir, const std::string& name, std::size_t dimensions) {
  namespace fs = std::filesystem;
  std::error_code error;
  DataFile file{.path = (fs::path(dir) / name).string()};
  if (!fs::exists(file.path, error)) file.path += ".gz";
  if (!fs::exists(file.path, error)) {
    return not_found("there is neither '{}' nor '{}.gz' in '{}'", name, name, dir);
  }
  GODWIT_TRY_ASSIGN(const std::string bytes, read_all(file, kFileBytesMax));
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(bytes[at]); };
  const std::size_t head = 4 + 4 * dimensions;
  constexpr unsigned char kUnsignedBytes = 8;
  if (bytes.size() < head || byte(0) != 0 || byte(1) != 0 || byte(2) != kUnsignedBytes ||
      byte(3) != dimensions) {
    return corruption("'{}' is not an IDX file of bytes in {} dimensions", file.path, dimensions);
  }
  IdxFile idx;
  std::uint64_t count = 1;
  for (std::size_t i = 4; i < head; i += 4) {
    const std::uint32_t size = std::uint32_t{byte(i)} << 24 | std::uint32_t{byte(i + 1)} << 16 |
                               std::uint32_t{byte(i + 2)} << 8 | std::uint32_t{byte(i + 3)};
    idx.sizes.push_back(size);
    // Kept small at each step, so that hostile sizes cannot overflow.
    if (size != 0 && count > kFileBytesMax / size) {
      return corruption("'{}' claims to have more than {} bytes", file.path, kFileBytesMax);
    }
    count *= size;
  }
  if (bytes.size() - head != count) {
    return corruption("'{}' must hold {} values, but has {}", file.path, count,
                      bytes.size() - head);
  }
  idx.values.resize(count);
  std::transform(bytes.begin() + static_cast<std::ptrdiff_t>(head), bytes.end(), idx.values.begin(),
                 [](char c) { return static_cast<std::uint8_t>(c); });
  return idx;
}

Result<Images> read_part(const std::string& dir, const std::string& part) {
  GODWIT_TRY_ASSIGN(IdxFile pixels, read_idx(dir, part + "-images-idx3-ubyte", 3));
  GODWIT_TRY_ASSIGN(IdxFile labels, read_idx(dir, part + "-labels-idx1-ubyte", 1));
  Images images{.count = pixels.sizes[0], .height = pixels.sizes[1], .width = pixels.sizes[2]};
  if (images.count == 0 || images.height == 0 || images.width == 0) {
    return invalid_argument("'{}': {} images of {} x {} pixels are none", dir, images.count,
                            images.height, images.width);
  }
  if (labels.sizes[0] != images.count) {
    return invalid_argument("'{}': {} has {} images but {} labels", dir, part, images.count,
                            labels.sizes[0]);
  }
  images.classes = 1 + std::uint32_t{*std::ranges::max_element(labels.values)};
  images.pixels = std::move(pixels.values);
  images.labels = std::move(labels.values);
  return images;
}

}  // namespace

Result<ImageSet> read_images(const std::string& dir) {
  ImageSet set;
  GODWIT_TRY_ASSIGN(set.train, read_part(dir, "train"));
  GODWIT_TRY_ASSIGN(set.test, read_part(dir, "t10k"));
  if (set.train.height != set.test.height || set.train.width != set.test.width) {
    return invalid_argument("'{}': images to train on have {} x {} pixels, those to test {} x {}",
                            dir, set.train.height, set.train.width, set.test.height,
                            set.test.width);
  }
  set.train.classes = set.test.classes = std::max(set.train.classes, set.test.classes);
  set.understood.lines.push_back(fmt::format(
      "{}: {} images to train on, {} to test, {} x {} pixels, {} classes; first labels {}, {}, {}",
      dir, with_commas(set.train.count), with_commas(set.test.count), set.train.height,
      set.train.width, set.train.classes, set.train.labels[0],
      set.train.labels[std::min<std::size_t>(1, set.train.count - 1)],
      set.train.labels[std::min<std::size_t>(2, set.train.count - 1)]));
  return set;
}

}  // namespace godwit
