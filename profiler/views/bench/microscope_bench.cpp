#include <benchmark/benchmark.h>

#include <numeric>

#include "profiler/views/memory/access_reason.hpp"
#include "profiler/views/memory/access_sites.hpp"
#include "profiler/views/memory/microscope.hpp"

// Time of the panels' derived data when another access, or another trace, is focused.
namespace tilescope {
namespace {

BlockRecording million_accesses() {
  BlockRecording recording;
  RecordedSite& site = recording.sites.emplace_back();
  site.operation = "ld.shared";
  site.width_bytes = 16;
  site.tile = "K";
  RecordedPattern& pattern = recording.patterns.emplace_back();
  pattern.lanes = simt::all_lanes;
  for (std::size_t lane = 0; lane < 32; ++lane) pattern.offsets[lane] = static_cast<std::int64_t>(lane * 128);
  RecordedAccess access;
  access.wavefronts = 32;
  access.minimum = 4;
  access.degree = 8;
  recording.accesses.assign(1'000'000, access);
  return recording;
}

std::vector<TileRange> tiles() {
  TileRange range{"K", 0, 65536, TileLayout{128, 256, 2, 256, {}}};
  for (std::uint32_t element = 0; element < 128 * 256; ++element) range.layout->index.push_back(element);
  return {range};
}

void open_site(benchmark::State& state) {
  const BlockRecording recording = million_accesses();
  const TileFinder finder(tiles());
  std::vector<std::uint32_t> accesses(recording.accesses.size());
  std::iota(accesses.begin(), accesses.end(), 0U);
  for (auto _ : state) {
    benchmark::DoNotOptimize(microscope_view(recording, finder, recording.accesses[777]));
    benchmark::DoNotOptimize(longest_reason(recording, finder, accesses));
  }
}

void find_tiles(benchmark::State& state) {
  const std::vector<TileRange> ranges = tiles();
  for (auto _ : state) benchmark::DoNotOptimize(TileFinder(ranges));
}

void list_500_sites(benchmark::State& state) {
  std::vector<MemorySite> sites(500);
  for (std::size_t i = 0; i < sites.size(); ++i) {
    sites[i].operation = "ld.shared";
    sites[i].conflicts = static_cast<std::int64_t>(i * 7919 % 500);
  }
  for (auto _ : state) benchmark::DoNotOptimize(access_site_rows(sites, ""));
}

BENCHMARK(open_site)->Unit(benchmark::kMicrosecond);
BENCHMARK(find_tiles)->Unit(benchmark::kMicrosecond);
BENCHMARK(list_500_sites)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace tilescope

BENCHMARK_MAIN();
