// train/common_settings.cc: from texts to a table's spec.
#include "train/common_settings.h"

#include "base/try.h"

namespace godwit {

void add_common_settings(Settings& settings) {
  settings.add_count("seed", "1", 0, 1'000'000'000, "of everything random");
  settings.add_count("split_seed", "1", 0, 1'000'000'000, "of the split of data that come in one");
  settings.add_number("valid_share", "0.05", 0, 0.9, "of such data, to choose by");
  settings.add_number("test_share", "0.1", 0, 0.9, "of such data, to judge by");
  settings.add_count("workers", "auto", 1, 1024, "auto: cores / nodes; threads of each node");
  settings.add_count("judge_every", "auto", 0, 1'000'000,
                     "auto: by the task; epochs between judgements; 0: only at the end");
  settings.add_flag("judge_test", false,
                    "judges by the test split too, each time; nothing is decided by that");
  settings.add_count("patience", "0", 0, 1'000'000,
                     "judgements without a better one before it stops; 0: goes on");
  settings.add_number("max_minutes", "0", 0, 1e6, "trains no longer; 0: no limit");
  settings.add_number("save_every", "300", 0, 1e9, "seconds between checkpoints; 0: at the end");
  settings.add_count("keep", "3", 1, 1000, "checkpoints that are kept");
  settings.add_text("consistency", "async", "how old reads may be: async, ssp:S, bsp, auto");
  settings.add_text(
      "placement", "intent", "how rows come to the nodes that use them",
      {"intent", "intent_plain", "static", "replicate_all", "relocate_only", "replicate_only"});
  settings.add_text("codec", "fp32", "how changes travel", {"fp32", "bf16", "int8"});
}

Result<> check_common_settings(const Settings& settings) {
  GODWIT_TRY(Consistency::parse(settings.text("consistency")));
  GODWIT_TRY(parse_placement(settings.text("placement")));
  GODWIT_TRY(parse_codec(settings.text("codec")));
  return {};
}

TableSpec common_table_spec(const Settings& settings) {
  TableSpec spec;
  spec.consistency = Consistency::parse(settings.text("consistency")).value();
  spec.placement = parse_placement(settings.text("placement")).value();
  spec.codec = parse_codec(settings.text("codec")).value();
  return spec;
}

}  // namespace godwit
