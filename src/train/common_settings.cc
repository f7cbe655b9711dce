// train/common_settings.cc: from texts to a table's spec.
#include "train/common_settings.h"

#include "base/try.h"

namespace godwit {

void add_common_settings(Settings& settings) {
  settings.add_count("seed", "1", 0, 1'000'000'000, "of everything random");
  settings.add_text("consistency", "async", "how old reads may be: async, ssp:S, bsp, auto");
  settings.add_text("placement", "intent", "how rows come to the nodes that use them");
  settings.add_text("codec", "fp32", "how changes travel: fp32, bf16, int8");
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
