// train/mlp_model_test.cc: gradients against differences of the loss; learning on a toy.
#include "train/mlp_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/prng.h"
#include "train/gemm.h"

namespace godwit {
namespace {

// Images of 3 x 3 pixels whose brightest row tells the class.
Images toy_images(std::uint32_t count, std::uint64_t seed) {
  Images images{.count = count, .height = 3, .width = 3, .classes = 3};
  Prng prng(seed);
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint8_t>(prng.below(3));
    for (std::uint32_t pixel = 0; pixel < 9; ++pixel) {
      const std::uint64_t base = pixel / 3 == label ? 120 : 40;
      images.pixels.push_back(static_cast<std::uint8_t>(base + prng.below(80)));
    }
    images.labels.push_back(label);
  }
  return images;
}

std::unique_ptr<StepModel> toy_model(std::uint32_t hidden) {
  ImageSet set;
  set.train = toy_images(200, 1);
  set.test = toy_images(100, 2);
  return make_mlp_model(std::move(set), {.hidden = hidden, .valid_share = 0.1, .seed = 3});
}

std::vector<float> first_parameters(const StepModel& model) {
  std::vector<float> values;
  Prng prng(5);
  for (const StepTable& table : model.tables()) {
    for (std::uint64_t i = 0; i < table.floats(); ++i) {
      values.push_back(static_cast<float>(0.4 * (prng.uniform() - 0.5)));
    }
  }
  return values;
}

class Mlp : public testing::Test {
 protected:
  void SetUp() override {
    if (!load_gemm().ok()) GTEST_SKIP() << "there is no OpenBLAS";
  }
};

TEST_F(Mlp, GradientsAreThoseOfTheLoss) {
  const auto model = toy_model(4);
  const auto gradients = model->gradients();
  std::vector<float> parameters = first_parameters(*model);
  const std::vector<std::uint64_t> samples{0, 5, 9, 9};
  std::vector<float> sums(parameters.size());
  gradients->add(parameters, samples, sums);
  std::vector<float> ignored(parameters.size());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const float before = parameters[i];
    constexpr float kStep = 1e-2F;
    parameters[i] = before + kStep;
    const double above = gradients->add(parameters, samples, ignored);
    parameters[i] = before - kStep;
    const double below = gradients->add(parameters, samples, ignored);
    parameters[i] = before;
    EXPECT_NEAR(double{sums[i]}, (above - below) / (2 * double{kStep}), 0.02) << "parameter " << i;
  }
}

TEST_F(Mlp, GradientsAddUpWhateverTheParts) {
  const auto model = toy_model(4);
  const auto gradients = model->gradients();
  const std::vector<float> parameters = first_parameters(*model);
  const std::vector<std::uint64_t> samples{1, 2, 3, 4, 5, 6};
  std::vector<float> at_once(parameters.size());
  const double loss = gradients->add(parameters, samples, at_once);
  std::vector<float> in_parts(parameters.size());
  double parts = gradients->add(parameters, std::span(samples).first(2), in_parts);
  parts += gradients->add(parameters, std::span(samples).subspan(2), in_parts);
  EXPECT_NEAR(loss, parts, 1e-5);
  for (std::size_t i = 0; i < at_once.size(); ++i) EXPECT_NEAR(at_once[i], in_parts[i], 1e-4);
}

TEST_F(Mlp, LearnsToTellClasses) {
  const auto model = toy_model(16);
  const auto gradients = model->gradients();
  std::vector<float> parameters = first_parameters(*model);
  Prng prng(9);
  for (int step = 0; step < 400; ++step) {
    std::vector<std::uint64_t> samples;
    for (int i = 0; i < 16; ++i) samples.push_back(prng.below(model->samples()));
    std::vector<float> sums(parameters.size());
    gradients->add(parameters, samples, sums);
    for (std::size_t i = 0; i < sums.size(); ++i) parameters[i] -= 0.1F * sums[i] / 16;
  }
  Sums sums;
  model->judge(parameters, Split::kTest, 0, 60, sums);
  model->judge(parameters, Split::kTest, 60, 100, sums);
  const Figures figures = model->figures(Split::kTest, sums);
  EXPECT_EQ(figures[0].first, "accuracy");
  EXPECT_GT(figures[0].second, 0.9);
  EXPECT_EQ(sums.at("count"), 100);
}

TEST_F(Mlp, ValidationImagesAreNotTrainedOn) {
  const auto model = toy_model(4);
  EXPECT_EQ(model->samples(), 180U);
  EXPECT_EQ(model->size(Split::kValid), 20U);
  EXPECT_EQ(model->size(Split::kTest), 100U);
}

}  // namespace
}  // namespace godwit
