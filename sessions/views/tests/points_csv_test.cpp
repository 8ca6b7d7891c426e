#include "sessions/views/points/points_csv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/tests/sample_points.hpp"

namespace tilescope {
namespace {

std::vector<PointColumn> csv_columns(const std::vector<std::string>& tags) {
  std::vector<PointColumn> chosen;
  for (const std::string& tag : tags) {
    for (const PointColumn& column : point_columns(test_support::sample_parameters())) {
      if (column.tag == tag) chosen.push_back(column);
    }
  }
  return chosen;
}

PointRows csv_rows(const PointList& session) {
  PointRows rows;
  rows.update(session, {});
  return rows;
}

TEST(PointsCsv, HasAHeaderWithUnitsAndRawNumbers) {
  Measurement point = test_support::make_timed(8, "row", 12345.678901);
  point.resources = Resources{64, 1024, 65536, 0, 0, ""};
  const PointRows rows = csv_rows({test_support::share(point)});
  EXPECT_EQ(points_csv(rows.rows(), csv_columns({"p50", "shared_memory", "parameter M", "kernel"}), {0}),
            "p50 [µs],Shared [B],M,Kernel\r\n12345.678901,66560,8,k\r\n");
}

TEST(PointsCsv, AFigureThatThePointLacksIsEmptyAndNotZero) {
  const PointRows rows = csv_rows({test_support::share(test_support::make_point(8, "row"))});
  EXPECT_EQ(points_csv(rows.rows(), csv_columns({"p50", "registers", "device"}), {0}),
            "p50 [µs],Regs,Device\r\n,,L4\r\n");
}

TEST(PointsCsv, QuotesWhatWouldEndAField) {
  Measurement point = test_support::make_point(8, "a,b \"c\"\nd");
  const PointRows rows = csv_rows({test_support::share(point)});
  EXPECT_EQ(points_csv(rows.rows(), csv_columns({"parameter LAYOUT", "kernel"}), {0}),
            "LAYOUT,Kernel\r\n\"a,b \"\"c\"\"\nd\",k\r\n");
}

TEST(PointsCsv, KeepsTheOrderAndSmallNumbers) {
  Measurement small = test_support::make_point(8, "row");
  small.error = Error{4.88e-4, 0, 1e-3, "gpu", 1, 1};
  Measurement undefined = test_support::make_point(8, "row");
  undefined.error = Error{std::nan(""), 0, 1e-3, "gpu", 1, 1};
  const PointRows rows = csv_rows({test_support::share(small), test_support::share(undefined)});
  EXPECT_EQ(points_csv(rows.rows(), csv_columns({"max_error"}), {1, 0}), "Max error\r\nNaN\r\n0.000488\r\n");
}

TEST(PointsText, IsTabSeparatedAsTheTableShowsIt) {
  const PointRows rows = csv_rows({test_support::share(test_support::make_timed(8, "a\tb", 12345.678))});
  EXPECT_EQ(points_text(rows.rows(), csv_columns({"p50", "parameter LAYOUT"}), {0}),
            "p50 [µs]\tLAYOUT\n12,345.68\ta b\n");
}

}  // namespace
}  // namespace tilescope
