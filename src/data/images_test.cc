// data/images_test.cc: IDX files, sound and damaged.
#include "data/images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/data_fixture.h"
#include "data/load.h"

namespace godwit {
namespace {

using testing::HasSubstr;

std::string idx(const std::vector<unsigned>& sizes, std::size_t values) {
  std::string bytes = {0, 0, 8, static_cast<char>(sizes.size())};
  for (const unsigned size : sizes) bytes += std::string(3, '\0') + static_cast<char>(size);
  for (std::size_t i = 0; i < values; ++i) bytes += static_cast<char>(i);
  return bytes;
}

class ImageFiles : public testing::Test {
 protected:
  ImageFiles() {
    files_.write("train-images-idx3-ubyte", idx({3, 2, 2}, 12));
    files_.write("train-labels-idx1-ubyte.gz", gzipped(idx({3}, 3)));
    files_.write("t10k-images-idx3-ubyte", idx({1, 2, 2}, 4));
    files_.write("t10k-labels-idx1-ubyte", idx({1}, 1));
  }

  OwnFiles files_;
};

TEST_F(ImageFiles, PixelsAndLabelsAreRead) {
  const ImageSet set = read_images(files_.dir()).value();
  EXPECT_EQ(set.train.count, 3U);
  EXPECT_EQ(set.train.width, 2U);
  EXPECT_EQ(set.train.classes, 3U);
  EXPECT_EQ(set.test.classes, 3U);
  EXPECT_EQ(set.train.pixels[11], 11);
  EXPECT_EQ(set.train.labels[2], 2);
}

TEST_F(ImageFiles, DamageIsRefused) {
  files_.write("train-images-idx3-ubyte", idx({3, 2, 2}, 11));
  EXPECT_EQ(read_images(files_.dir()).error().code(), ErrorCode::kCorruption);
  files_.write("train-images-idx3-ubyte", std::string("\0\0\x08\x03", 4) + std::string(12, '\xff'));
  EXPECT_EQ(read_images(files_.dir()).error().code(), ErrorCode::kCorruption);
  files_.write("train-images-idx3-ubyte", "text");
  EXPECT_EQ(read_images(files_.dir()).error().code(), ErrorCode::kCorruption);
  files_.write("train-images-idx3-ubyte", idx({2, 2, 2}, 8));
  EXPECT_THAT(read_images(files_.dir()).error().message(), HasSubstr("2 images but 3 labels"));
  files_.write("train-images-idx3-ubyte", idx({3, 1, 2}, 6));
  EXPECT_THAT(read_images(files_.dir()).error().message(), HasSubstr("1 x 2"));
  EXPECT_EQ(read_images(files_.path("none")).error().code(), ErrorCode::kNotFound);
}

TEST(RealImages, FashionMnistHasItsKnownCounts) {
  const auto source = find_data(real_catalog(), "fashion-mnist");
  GODWIT_NEED_DATA(source);
  const ImageSet set = load_images(*source).value();
  EXPECT_EQ(set.train.count, 60'000U);
  EXPECT_EQ(set.test.count, 10'000U);
  EXPECT_EQ(set.train.height * set.train.width, 28U * 28U);
  EXPECT_EQ(set.train.classes, 10U);
}

}  // namespace
}  // namespace godwit
