// data/images.h: labelled images in IDX files (MNIST and its kin). Pure but for reading files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/understood.h"
#include "godwit/result.h"

namespace godwit {

struct Images {
  std::uint32_t count = 0;
  std::uint32_t height = 0;
  std::uint32_t width = 0;
  std::uint32_t classes = 0;         // 1 + largest label
  std::vector<std::uint8_t> pixels;  // count x height x width
  std::vector<std::uint8_t> labels;  // count
};

struct ImageSet {
  Images train, test;
  Understood understood;
};

// train-images-idx3-ubyte, train-labels-idx1-ubyte, t10k-images-..., t10k-labels-... in `dir`, each
// plain or with .gz. kNotFound naming what is missing; kCorruption: a file that is no IDX file of
// that kind, is cut or too long; kInvalidArgument: counts or sizes that do not fit together.
Result<ImageSet> read_images(const std::string& dir);

}  // namespace godwit
