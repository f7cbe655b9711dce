// train/mlp_model.h: a network of one hidden layer that tells classes of images: rectified linear
// units, softmax. Matrix products by OpenBLAS.
#pragma once

#include <cstdint>
#include <memory>

#include "data/images.h"
#include "train/step_model.h"

namespace godwit {

struct MlpOptions {
  std::uint32_t hidden = 128;
  double valid_share = 0.05;  // of the training images, the last ones
  std::uint64_t seed = 1;     // of the first weights
};

// Tables `hidden` (a row for each unit: a weight for each pixel, then its bias) and `classes` (a
// row for each class). Pixels are scaled to mean 0 and deviation 1. Figures: accuracy, logloss.
// REQUIRES: images with at least two classes; load() before gradients() and judge().
std::unique_ptr<StepModel> make_mlp_model(ImageSet images, const MlpOptions& options);

}  // namespace godwit
