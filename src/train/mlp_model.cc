// train/mlp_model.cc: forward and back, a few images at a time.
#include "train/mlp_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "train/gemm.h"

namespace godwit {
namespace {

constexpr std::size_t kJudged = 256;  // images at a time

struct Shape {
  std::size_t pixels = 0;
  std::size_t hidden = 0;
  std::size_t classes = 0;

  std::size_t hidden_floats() const { return hidden * (pixels + 1); }
  std::size_t floats() const { return hidden_floats() + classes * (hidden + 1); }
};

// Weights of a layer: rows of inputs + 1 floats, the last of them the bias.
struct Layer {
  const float* weights;
  std::size_t units;
  std::size_t inputs;

  MatrixView matrix() const {
    return {.data = weights, .rows = units, .columns = inputs, .stride = inputs + 1};
  }
  float bias(std::size_t unit) const { return weights[unit * (inputs + 1) + inputs]; }
};

// Activations of some images.
class Forward {
 public:
  explicit Forward(const Shape& shape) : shape_(shape) {}

  void run(const float* parameters, std::span<const float> inputs) {
    count_ = inputs.size() / shape_.pixels;
    const Layer first{parameters, shape_.hidden, shape_.pixels};
    const Layer second{parameters + shape_.hidden_floats(), shape_.classes, shape_.hidden};
    hidden_.resize(count_ * shape_.hidden);
    scores_.resize(count_ * shape_.classes);
    gemm(MatrixView::dense(inputs.data(), count_, shape_.pixels), first.matrix().transpose(),
         GemmInto::kOverwrite, hidden_.data());
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t unit = 0; unit < shape_.hidden; ++unit) {
        float& value = hidden_[i * shape_.hidden + unit];
        value = std::max(0.0F, value + first.bias(unit));
      }
    }
    gemm(MatrixView::dense(hidden_.data(), count_, shape_.hidden), second.matrix().transpose(),
         GemmInto::kOverwrite, scores_.data());
    for (std::size_t i = 0; i < count_; ++i) {
      for (std::size_t c = 0; c < shape_.classes; ++c) {
        scores_[i * shape_.classes + c] += second.bias(c);
      }
    }
  }
  // Scores become shares; the loss of the image with this label.
  double softmax(std::size_t image, std::size_t label) {
    const auto scores = std::span(scores_).subspan(image * shape_.classes, shape_.classes);
    const float highest = *std::max_element(scores.begin(), scores.end());
    float sum = 0;
    for (float& score : scores) sum += score = std::exp(score - highest);
    for (float& score : scores) score /= sum;
    return -std::log(std::max(double{scores[label]}, 1e-30));
  }
  std::size_t best(std::size_t image) const {
    const auto scores = std::span(scores_).subspan(image * shape_.classes, shape_.classes);
    return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end()) -
                                    scores.begin());
  }
  std::size_t count() const { return count_; }
  std::vector<float>& scores() { return scores_; }
  const std::vector<float>& hidden() const { return hidden_; }

 private:
  const Shape shape_;
  std::size_t count_ = 0;
  std::vector<float> hidden_;
  std::vector<float> scores_;
};

class MlpModel final : public StepModel {
 public:
  MlpModel(ImageSet images, const MlpOptions& options)
      : images_(std::move(images)), seed_(options.seed) {
    shape_.pixels = std::size_t{images_.train.height} * images_.train.width;
    shape_.hidden = options.hidden;
    shape_.classes = std::max(images_.train.classes, images_.test.classes);
    const auto valid = static_cast<std::uint64_t>(options.valid_share * images_.train.count);
    train_ = images_.train.count - valid;
    double sum = 0;
    double squares = 0;
    const std::size_t seen = std::min<std::size_t>(images_.train.pixels.size(), 1'000'000);
    for (std::size_t i = 0; i < seen; ++i) {
      const double value = images_.train.pixels[i];
      sum += value;
      squares += value * value;
    }
    const double mean = sum / static_cast<double>(seen);
    mean_ = static_cast<float>(mean);
    const double variance = squares / static_cast<double>(seen) - mean * mean;
    scale_ = static_cast<float>(1 / std::sqrt(std::max(variance, 1.0)));
  }

  std::vector<StepTable> tables() const override {
    const auto init = [&](std::size_t inputs, std::uint64_t seed) {
      return Init::uniform(1 / std::sqrt(static_cast<float>(inputs)), seed);
    };
    return {{.name = "hidden",
             .rows = shape_.hidden,
             .row_length = static_cast<std::uint32_t>(shape_.pixels + 1),
             .init = init(shape_.pixels, 2 * seed_)},
            {.name = "classes",
             .rows = shape_.classes,
             .row_length = static_cast<std::uint32_t>(shape_.hidden + 1),
             .init = init(shape_.hidden, 2 * seed_ + 1)}};
  }
  std::uint64_t samples() const override { return train_; }
  std::unique_ptr<StepGradients> gradients() const override;
  std::string quality_name() const override { return "accuracy"; }
  bool is_larger_better() const override { return true; }
  bool has(Split split) const override { return size(split) > 0; }
  std::uint64_t size(Split split) const override {
    return split == Split::kTest ? images_.test.count : images_.train.count - train_;
  }
  std::vector<std::string> data_notes() const override { return images_.understood.lines; }
  Result<> load() const override { return load_gemm(); }

  void judge(std::span<const float> parameters, Split split, std::uint64_t first,
             std::uint64_t last, Sums& sums) const override {
    const Images& images = split == Split::kTest ? images_.test : images_.train;
    const std::uint64_t offset = split == Split::kTest ? 0 : train_;
    Forward forward(shape_);
    std::vector<float> inputs;
    double right = 0;
    double loss = 0;
    for (std::uint64_t begin = first; begin < last; begin += kJudged) {
      const std::uint64_t end = std::min(last, begin + kJudged);
      inputs.resize((end - begin) * shape_.pixels);
      for (std::uint64_t i = begin; i < end; ++i) {
        scale(images, offset + i, &inputs[(i - begin) * shape_.pixels]);
      }
      forward.run(parameters.data(), inputs);
      for (std::uint64_t i = begin; i < end; ++i) {
        const std::size_t label = images.labels[offset + i];
        right += forward.best(i - begin) == label ? 1 : 0;
        loss += forward.softmax(i - begin, label);
      }
    }
    sums["right"] += right;
    sums["loss"] += loss;
    sums["count"] += static_cast<double>(last - first);
  }
  Figures figures(Split /*split*/, const Sums& sums) const override {
    const double count = std::max(1.0, sums.at("count"));
    return {{"accuracy", sums.at("right") / count}, {"logloss", sums.at("loss") / count}};
  }

  const Shape& shape() const { return shape_; }
  void input(std::uint64_t sample, float* out) const { scale(images_.train, sample, out); }
  std::size_t label(std::uint64_t sample) const { return images_.train.labels[sample]; }

 private:
  void scale(const Images& images, std::uint64_t image, float* out) const {
    const std::uint8_t* const from = images.pixels.data() + image * shape_.pixels;
    for (std::size_t i = 0; i < shape_.pixels; ++i) {
      out[i] = (static_cast<float>(from[i]) - mean_) * scale_;
    }
  }

  const ImageSet images_;
  const std::uint64_t seed_;
  Shape shape_;
  std::uint64_t train_ = 0;
  float mean_ = 0;
  float scale_ = 1;
};

class MlpGradients final : public StepGradients {
 public:
  explicit MlpGradients(const MlpModel& model)
      : model_(model), shape_(model.shape()), forward_(shape_) {}

  double add(std::span<const float> parameters, std::span<const std::uint64_t> samples,
             std::span<float> sums) override {
    GODWIT_CHECK_EQ(parameters.size(), shape_.floats());
    const std::size_t count = samples.size();
    inputs_.resize(count * (shape_.pixels + 1));
    plain_.resize(count * shape_.pixels);
    for (std::size_t i = 0; i < count; ++i) {
      float* const with_one = &inputs_[i * (shape_.pixels + 1)];
      model_.input(samples[i], with_one);
      with_one[shape_.pixels] = 1;
      std::copy_n(with_one, shape_.pixels, &plain_[i * shape_.pixels]);
    }
    forward_.run(parameters.data(), plain_);
    double loss = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t label = model_.label(samples[i]);
      loss += forward_.softmax(i, label);
      forward_.scores()[i * shape_.classes + label] -= 1;
    }
    go_back(parameters, count, sums);
    return loss;
  }

 private:
  // The scores are derivatives of the loss by now.
  void go_back(std::span<const float> parameters, std::size_t count, std::span<float> sums) {
    const std::size_t width = shape_.hidden + 1;
    const auto& hidden = forward_.hidden();
    active_.resize(count * width);
    for (std::size_t i = 0; i < count; ++i) {
      std::copy_n(&hidden[i * shape_.hidden], shape_.hidden, &active_[i * width]);
      active_[i * width + shape_.hidden] = 1;
    }
    const auto scores = MatrixView::dense(forward_.scores().data(), count, shape_.classes);
    gemm(scores.transpose(), MatrixView::dense(active_.data(), count, width), GemmInto::kAdd,
         sums.data() + shape_.hidden_floats());
    const Layer second{parameters.data() + shape_.hidden_floats(), shape_.classes, shape_.hidden};
    back_.resize(count * shape_.hidden);
    gemm(scores, second.matrix(), GemmInto::kOverwrite, back_.data());
    for (std::size_t i = 0; i < back_.size(); ++i) {
      if (hidden[i] <= 0) back_[i] = 0;
    }
    gemm(MatrixView::dense(back_.data(), count, shape_.hidden).transpose(),
         MatrixView::dense(inputs_.data(), count, shape_.pixels + 1), GemmInto::kAdd, sums.data());
  }

  const MlpModel& model_;
  const Shape shape_;
  Forward forward_;
  std::vector<float> inputs_;  // with a 1 for the bias
  std::vector<float> plain_;
  std::vector<float> active_;
  std::vector<float> back_;
};

std::unique_ptr<StepGradients> MlpModel::gradients() const {
  return std::make_unique<MlpGradients>(*this);
}

}  // namespace

std::unique_ptr<StepModel> make_mlp_model(ImageSet images, const MlpOptions& options) {
  return std::make_unique<MlpModel>(std::move(images), options);
}

}  // namespace godwit
