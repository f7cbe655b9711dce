// data/data_fixture.h: for tests: files in a directory of one's own, packed in every way; where the
// real data sets are.
#pragma once

#include <gtest/gtest.h>
#include <lzma.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "data/catalog.h"

namespace godwit {

// A directory that is removed at the end.
class OwnFiles {
 public:
  OwnFiles() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    dir_ = testing::TempDir() + "godwit_" + std::to_string(::getpid()) + "_" +
           test->test_suite_name() + "_" + test->name();
    std::filesystem::create_directories(dir_);
  }
  OwnFiles(const OwnFiles&) = delete;
  OwnFiles& operator=(const OwnFiles&) = delete;
  ~OwnFiles() { std::filesystem::remove_all(dir_); }

  const std::string& dir() const { return dir_; }
  std::string path(const std::string& name) const { return dir_ + "/" + name; }
  // The path of the new file; its directory is made.
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::filesystem::path file = path(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    return file.string();
  }

 private:
  std::string dir_;
};

inline std::string gzipped(std::string_view text) {
  std::string packed(text.size() + 1024, '\0');
  z_stream state{};
  GODWIT_CHECK_EQ(deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  state.avail_in = static_cast<uInt>(text.size());
  state.next_out = reinterpret_cast<Bytef*>(packed.data());
  state.avail_out = static_cast<uInt>(packed.size());
  GODWIT_CHECK_EQ(deflate(&state, Z_FINISH), Z_STREAM_END);
  packed.resize(state.total_out);
  deflateEnd(&state);
  return packed;
}

inline std::string xz_packed(std::string_view text) {
  std::string packed(text.size() + 4096, '\0');
  std::size_t size = 0;
  GODWIT_CHECK_EQ(
      lzma_easy_buffer_encode(1, LZMA_CHECK_CRC64, nullptr,
                              reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                              reinterpret_cast<std::uint8_t*>(packed.data()), &size, packed.size()),
      LZMA_OK);
  packed.resize(size);
  return packed;
}

inline std::string zstd_packed(std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  return packed;
}

// One member with its header and padding.
inline std::string tar_member(const std::string& name, std::string_view bytes, char type = '0') {
  std::string block(512, '\0');
  block.replace(0, name.size(), name);
  const auto put = [&](std::size_t at, std::uint64_t number, int digits) {
    block.replace(at, static_cast<std::size_t>(digits), fmt::format("{:0{}o}", number, digits));
  };
  put(100, 0644, 7);
  put(124, bytes.size(), 11);
  put(136, 0, 11);
  block[156] = type;
  block.replace(257, 5, "ustar");
  block.replace(263, 2, "00");
  block.replace(148, 8, "        ");
  std::uint64_t sum = 0;
  for (const char c : block) sum += static_cast<unsigned char>(c);
  put(148, sum, 6);
  block[154] = '\0';
  block += bytes;
  block.resize((block.size() + 511) / 512 * 512, '\0');
  return block;
}

inline std::string tar_of(const std::vector<std::pair<std::string, std::string>>& members) {
  std::string tar;
  for (const auto& [name, bytes] : members) tar += tar_member(name, bytes);
  return tar + std::string(1024, '\0');
}

// GODWIT_DATA, or an empty text if it is not set.
inline Catalog real_catalog() {
  const char* dir = std::getenv("GODWIT_DATA");
  return {.data_dir = dir == nullptr ? "" : dir};
}

inline bool real_data_required() {
  const char* required = std::getenv("GODWIT_DATA_REQUIRED");
  return required != nullptr && std::string_view(required) == "1";
}

}  // namespace godwit

// Skips the test, or fails if GODWIT_DATA_REQUIRED is 1, unless `found` (a Result) is ok.
#define GODWIT_NEED_DATA(found)                          \
  if (!(found).ok() && ::godwit::real_data_required()) { \
    FAIL() << (found).error().message();                 \
  } else if (!(found).ok())                              \
  GTEST_SKIP() << "needs a data set: " << (found).error().message()
