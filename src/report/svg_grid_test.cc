// report/svg_grid_test.cc: where plots stand, and that the document is whole.
#include "report/svg_grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/xml_balance_fixture.h"

namespace godwit {
namespace {

using testing::HasSubstr;

TEST(SvgGrid, PlotsStandRowByRow) {
  const Plot plot{.title = "a", .series = {{"s", {{0, 1}, {1, 2}}}}, .width = 100, .height = 50};
  Plot tall = plot;
  tall.height = 80;
  const std::string svg = to_svg_grid({plot, tall, plot}, 2);
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 200 130\""));
  EXPECT_THAT(svg, HasSubstr("translate(0 0)"));
  EXPECT_THAT(svg, HasSubstr("translate(100 0)"));
  EXPECT_THAT(svg, HasSubstr("translate(0 80)"));
  EXPECT_EQ(xml_fault(svg), "");
}

TEST(SvgGrid, NothingIsAnEmptyPicture) {
  EXPECT_EQ(xml_fault(to_svg_grid({}, 3)), "");
}

}  // namespace
}  // namespace godwit
