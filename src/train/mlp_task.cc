// train/mlp_task.cc: settings of a network of one hidden layer.
#include "train/mlp_task.h"

#include <utility>

#include "base/errors.h"
#include "base/try.h"
#include "train/mlp_model.h"
#include "train/step_task.h"

namespace godwit {

void add_mlp_settings(Settings& settings) {
  settings.add_count("hidden", "128", 1, 100'000, "units of the hidden layer");
  add_step_settings(settings, {.epochs = "20", .batch = "64", .learning_rate = "0.1"});
}

Result<std::unique_ptr<Task>> make_mlp_task(const Settings& settings, ImageSet images) {
  if (images.train.count == 0) return invalid_argument("there are no images to learn from");
  if (images.train.classes < 2) return invalid_argument("all images have the same label");
  auto model = make_mlp_model(std::move(images),
                              {.hidden = static_cast<std::uint32_t>(settings.count("hidden")),
                               .valid_share = settings.number("valid_share"),
                               .seed = static_cast<std::uint64_t>(settings.count("seed"))});
  GODWIT_TRY(check_step_settings(settings, *model));
  return make_step_task(settings, std::move(model));
}

}  // namespace godwit
