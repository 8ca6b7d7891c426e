#include <benchmark/benchmark.h>

#include <algorithm>

#include "sessions/metrics/registry.hpp"
#include "sessions/views/points/heat_map.hpp"
#include "sessions/views/points/ladder.hpp"
#include "sessions/views/points/latency_series.hpp"
#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/points/table_choices.hpp"

namespace tilescope {
namespace {

// Time of a frame's computations after a slider move or a new point, with ten thousand points open.

std::vector<ParameterChoices> parameters() {
  const auto numbers = [](std::initializer_list<std::int64_t> values) {
    return std::vector<ParameterValue>(values.begin(), values.end());
  };
  return {{"BLOCK_M", numbers({8, 16, 32, 64, 128})},
          {"BLOCK_N", numbers({16, 32, 64, 128})},
          {"NUM_WARPS", numbers({1, 2, 4, 8, 16})},
          {"VEC_WIDTH", numbers({1, 2, 4, 8})},
          {"SMEM_LAYOUT", {std::string("row_major"), std::string("padded"), std::string("xor_swizzle")}}};
}

PointList make_points(std::size_t count) {
  const auto choices = parameters();
  PointList points;
  for (std::size_t i = 0; i < count; ++i) {
    Measurement point;
    point.kernel = "flash_scalar";
    point.device.name = "L4";
    std::size_t rest = i;
    for (const ParameterChoices& parameter : choices) {
      point.parameters[parameter.name] = parameter.values[rest % parameter.values.size()];
      rest /= parameter.values.size();
    }
    Latency latency;
    latency.p50_us = 50 + static_cast<double>(i * 7919 % 1000);
    latency.p10_us = latency.p50_us * 0.98;
    latency.p90_us = latency.p50_us * 1.05;
    point.latency = latency;
    points.push_back(std::make_shared<const Measurement>(std::move(point)));
  }
  return points;
}

Slice slice_of(std::vector<std::string> free, bool all) {
  Slice slice;
  for (const ParameterChoices& parameter : parameters())
    slice.configuration[parameter.name] = parameter.values[0];
  slice.free = std::move(free);
  slice.all_configurations = all;
  return slice;
}

void index_points(benchmark::State& state) {
  const PointList points = make_points(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    PointIndex index;
    while (index.update("flash_scalar", parameters(), points, {})) continue;
    benchmark::DoNotOptimize(index.entries().data());
  }
}
BENCHMARK(index_points)->Arg(10000)->Unit(benchmark::kMicrosecond);

void latency_after_a_slider_moved(benchmark::State& state) {
  PointIndex index;
  const PointList points = make_points(10000);
  while (index.update("flash_scalar", parameters(), points, {})) continue;
  const Slice slice = slice_of({"BLOCK_M"}, state.range(0) == 1);
  const ValueAxis axis = make_axis(parameters()[0]);
  for (auto _ : state) benchmark::DoNotOptimize(latency_against(index, slice, axis, "L4"));
}
BENCHMARK(latency_after_a_slider_moved)->ArgName("all")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void heat_map_after_a_slider_moved(benchmark::State& state) {
  PointIndex index;
  const PointList points = make_points(10000);
  while (index.update("flash_scalar", parameters(), points, {})) continue;
  const Slice slice = slice_of({"BLOCK_M", "BLOCK_N"}, state.range(0) == 1);
  const auto legal = [](const Configuration&) { return std::string(); };
  for (auto _ : state) {
    benchmark::DoNotOptimize(heat_map(index, slice, make_axis(parameters()[0]), make_axis(parameters()[1]),
                                      metric_of("p50"), {LatencyKind::measured, "L4"}, legal));
  }
}
BENCHMARK(heat_map_after_a_slider_moved)->ArgName("all")->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

void rows_after_a_point_came_in(benchmark::State& state) {
  PointList points = make_points(10000);
  PointRows rows;
  while (rows.update(points, {})) continue;
  const std::vector<PointColumn> columns = point_columns(parameters());
  const PointColumn p50 = *std::find_if(columns.begin(), columns.end(),
                                        [](const PointColumn& column) { return column.tag == "p50"; });
  for (auto _ : state) {
    points.push_back(points[points.size() % 10000]);
    rows.update(points, {});
    benchmark::DoNotOptimize(rows.ordered({"block_m=64", {}, true}, p50, false));
  }
}
BENCHMARK(rows_after_a_point_came_in)->Unit(benchmark::kMicrosecond)->Iterations(200);

void table_after_a_point_came_in(benchmark::State& state) {
  PointList points = make_points(10000);
  const std::vector<PointColumn> columns = point_columns(parameters());
  PointRows rows;
  ColumnContents contents;
  while (rows.update(points, {})) contents.update(rows, columns);
  for (auto _ : state) {
    points.push_back(points[points.size() % 10000]);
    rows.update(points, {});
    contents.update(rows, columns);
    benchmark::DoNotOptimize(ordered_rows(rows, {}, columns, {}));
  }
}
BENCHMARK(table_after_a_point_came_in)->Unit(benchmark::kMicrosecond)->Iterations(200);

void ladder_after_a_point_came_in(benchmark::State& state) {
  PointList points = make_points(10000);
  Ladder ladder;
  while (ladder.update(points, {}, {}) || !ladder.is_complete()) continue;
  for (auto _ : state) {
    points.push_back(points[points.size() % 10000]);
    ladder.update(points, {}, {});
    benchmark::DoNotOptimize(ladder.groups().data());
  }
}
BENCHMARK(ladder_after_a_point_came_in)->Unit(benchmark::kMicrosecond)->Iterations(200);

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
