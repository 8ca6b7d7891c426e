// One access repeated by one warp, for every width and kind of access, at addresses that distinguish the rules of
// shared and global memory.

#include "kernels/device/random_input.cuh"
#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"

namespace tilescope::hardware {
namespace {

constexpr std::uint32_t every_lane = 0xffffffff;
constexpr std::uint32_t even_lanes = 0x55555555, first_half = 0xffff, first_quarter = 0xff,
                        some_lanes = 0x30c1'0a16;

struct Pattern {
  std::string name;
  /// [B] of the 32 lanes
  std::vector<std::uint32_t> offsets;
  std::uint32_t mask = every_lane;
};

template <class Offset>
Pattern pattern(std::string name, Offset offset, std::uint32_t mask = every_lane) {
  Pattern made{std::move(name), {}, mask};
  for (std::uint32_t lane = 0; lane < 32; ++lane) made.offsets.push_back(offset(lane));
  return made;
}

Pattern strided(std::uint32_t width, std::uint32_t stride) {
  return pattern("stride " + std::to_string(stride),
                 [=](std::uint32_t lane) { return lane * stride * width; });
}

Pattern masked(const char* which, std::uint32_t mask, Pattern whole) {
  whole.name += std::string(" ") + which;
  whole.mask = mask;
  return whole;
}

/// Aligned places anywhere in the first `bytes`.
Pattern scattered(std::uint32_t width, std::uint32_t bytes, unsigned number) {
  return pattern("scattered " + std::to_string(number), [=](std::uint32_t lane) {
    return static_cast<std::uint32_t>(hash_bits(hash_bits(number) + lane) % (bytes / width)) * width;
  });
}

Pattern broadcast() {
  return pattern("broadcast", [](std::uint32_t) { return 64U; });
}
/// Two lanes share an address: neighbours (distance 1) or lanes 2 apart, for which the passes of wide accesses merge.
Pattern shared_by(std::uint32_t width, std::uint32_t distance) {
  return pattern("pairs at distance " + std::to_string(distance),
                 [=](std::uint32_t lane) { return (lane & ~distance) * width; });
}

struct Operation {
  const char* name;
  /// In kernels/shared_patterns.cu
  int number;
};
constexpr Operation load{"load", 0}, store{"store", 1}, add{"add", 2}, ldmatrix{"ldmatrix", 3},
    ldmatrix_trans{"ldmatrix.trans", 4}, stmatrix{"stmatrix", 5}, cp_async{"cp.async", 6};

Case shared_case(const Operation& operation, std::uint32_t width, const Pattern& chosen) {
  constexpr std::size_t memory_bytes = 17408;  // the kernel's size
  Case made;
  made.name = std::string("shared/") + operation.name + " " + std::to_string(width) + "/" + chosen.name;
  made.kernel = {"profiler/execution/ptx/tests/kernels/shared_patterns.cu",
                 "shared_pattern",
                 {{"OPERATION", std::to_string(operation.number)}, {"WIDTH", std::to_string(width)}},
                 operation.number == stmatrix.number ? "sm_90" : "sm_89"};
  made.launch.block.x = 32;
  ParameterList(made)
      .pointer(input_buffer("addresses", [offsets = chosen.offsets] { return bytes_of_all(offsets); }))
      .pointer(input_buffer("source", [] { return random_words(memory_bytes / 4, 5); }))
      .pointer(output_buffer("out", 32 * 4))
      .value(chosen.mask)
      .value(std::uint32_t{0});
  Region region;
  region.buffer = 2;
  region.count = 32;
  made.regions = {region};
  return made;
}

Case global_case(bool is_store, std::uint32_t width, const Pattern& chosen, std::uint32_t step) {
  constexpr std::size_t memory_bytes = 1 << 17;
  Case made;
  made.name =
      std::string("global/") + (is_store ? "store " : "load ") + std::to_string(width) + "/" + chosen.name;
  made.kernel = {"profiler/execution/ptx/tests/kernels/global_patterns.cu",
                 "global_pattern",
                 {{"OPERATION", is_store ? "1" : "0"}, {"WIDTH", std::to_string(width)}},
                 "sm_89"};
  made.launch.block.x = 32;
  ParameterList(made)
      .pointer(input_buffer("offsets", [offsets = chosen.offsets] { return bytes_of_all(offsets); }))
      .pointer(input_buffer("source", [] { return random_words(memory_bytes / 4, 6); }))
      .pointer(output_buffer("target", memory_bytes))
      .pointer(output_buffer("out", 32 * 4))
      .value(chosen.mask)
      .value(step);
  Region sums, target;
  sums.name = "out";
  sums.buffer = 3;
  sums.count = 32;
  target.name = "target";
  target.buffer = 2;
  target.count = memory_bytes / 4;
  made.regions = {sums};
  if (is_store) made.regions.push_back(target);
  return made;
}

/// The patterns that distinguish the passes of a load or store of `width` bytes.
std::vector<Pattern> patterns_of(std::uint32_t width) {
  std::vector<Pattern> patterns;
  for (const std::uint32_t stride : {1U, 2U, 3U, 4U, 8U, 16U, 17U, 32U, 33U})
    patterns.push_back(strided(width, stride));
  patterns.push_back(broadcast());
  patterns.push_back(shared_by(width, 1));
  patterns.push_back(shared_by(width, 2));
  patterns.push_back(shared_by(width, 4));
  patterns.push_back(masked("even lanes", even_lanes, strided(width, 1)));
  patterns.push_back(masked("first half", first_half, strided(width, 2)));
  patterns.push_back(masked("some lanes", some_lanes, strided(width, 8)));
  patterns.push_back(scattered(width, 16384, 1));
  patterns.push_back(masked("some lanes", some_lanes, scattered(width, 16384, 2)));
  // Few places, so that lanes often share a word at random.
  Pattern crowded = scattered(width, 512, 3);
  crowded.name = "crowded";
  patterns.push_back(crowded);
  return patterns;
}

void add_matrix_loads(std::vector<Case>& cases) {
  const auto rows = [](const char* name, std::uint32_t stride) {
    return pattern(name, [=](std::uint32_t lane) { return lane * stride; });
  };
  const std::vector<Pattern> layouts = {rows("rows of 16 bytes", 16),
                                        rows("rows of 32 bytes", 32),
                                        rows("rows of 48 bytes", 48),
                                        rows("rows of 128 bytes", 128),
                                        rows("rows of 144 bytes", 144),
                                        scattered(16, 16384, 4),
                                        broadcast()};
  for (const Pattern& layout : layouts) cases.push_back(shared_case(ldmatrix, 4, layout));
  for (const std::uint32_t matrices : {1U, 2U}) {
    cases.push_back(shared_case(ldmatrix, matrices, layouts[1]));
    cases.push_back(shared_case(ldmatrix, matrices, layouts[3]));
  }
  cases.push_back(shared_case(ldmatrix_trans, 4, layouts[1]));
  cases.push_back(shared_case(ldmatrix_trans, 2, layouts[3]));
  cases.push_back(shared_case(stmatrix, 4, layouts[0]));
  cases.push_back(shared_case(stmatrix, 4, layouts[1]));
  cases.push_back(shared_case(stmatrix, 4, layouts[3]));
  cases.push_back(shared_case(stmatrix, 1, layouts[3]));
}

}  // namespace

std::vector<Case> shared_pattern_cases() {
  std::vector<Case> cases;
  for (const std::uint32_t width : {4U, 8U, 16U}) {
    for (const Pattern& chosen : patterns_of(width)) cases.push_back(shared_case(load, width, chosen));
    for (const Pattern& chosen :
         {strided(width, 1), strided(width, 2), strided(width, 8), strided(width, 33), broadcast(),
          shared_by(width, 1), shared_by(width, 2), masked("some lanes", some_lanes, strided(width, 8)),
          scattered(width, 16384, 1)}) {
      cases.push_back(shared_case(store, width, chosen));
    }
    for (const Pattern& chosen :
         {strided(width, 1), strided(width, 2), strided(width, 8),
          masked("some lanes", some_lanes, strided(width, 1)), scattered(width, 16384, 1)}) {
      cases.push_back(shared_case(cp_async, width, chosen));
    }
  }
  for (const std::uint32_t width : {1U, 2U}) {
    for (const std::uint32_t stride : {1U, 4U, 32U, 64U, 128U}) {
      cases.push_back(shared_case(load, width, strided(width, stride)));
    }
    cases.push_back(shared_case(store, width, strided(width, 1)));
    cases.push_back(shared_case(store, width, strided(width, 64)));
  }
  for (const Pattern& chosen :
       {strided(4, 1), strided(4, 32), broadcast(), shared_by(4, 1),
        masked("first quarter", first_quarter, strided(4, 1)), scattered(4, 256, 5)}) {
    cases.push_back(shared_case(add, 4, chosen));
  }
  add_matrix_loads(cases);
  return cases;
}

std::vector<Case> global_pattern_cases() {
  const auto shifted = [](std::uint32_t width, std::uint32_t by) {
    return pattern("shifted by " + std::to_string(by), [=](std::uint32_t lane) { return lane * width + by; });
  };
  constexpr std::uint32_t step = 4096;
  std::vector<Case> cases;
  for (const std::uint32_t width : {1U, 2U, 4U, 8U, 16U})
    cases.push_back(global_case(false, width, strided(width, 1), step));
  for (const std::uint32_t stride : {2U, 3U, 8U, 32U})
    cases.push_back(global_case(false, 4, strided(4, stride), step));
  cases.push_back(global_case(false, 16, strided(16, 2), step));
  cases.push_back(global_case(false, 16, strided(16, 8), step));
  cases.push_back(global_case(false, 4, shifted(4, 4), step));
  cases.push_back(global_case(false, 8, shifted(8, 8), step));
  cases.push_back(global_case(false, 16, shifted(16, 16), step));
  cases.push_back(global_case(false, 4, broadcast(), step));
  cases.push_back(global_case(false, 4, scattered(4, 65536, 7), step));
  cases.push_back(global_case(false, 16, scattered(16, 65536, 8), step));
  cases.push_back(global_case(false, 4, masked("some lanes", some_lanes, strided(4, 1)), step));
  for (const std::uint32_t width : {1U, 4U, 8U, 16U})
    cases.push_back(global_case(true, width, strided(width, 1), step));
  cases.push_back(global_case(true, 4, strided(4, 8), step));
  cases.push_back(global_case(true, 4, shifted(4, 4), step));
  cases.push_back(global_case(true, 16, strided(16, 3), step));
  cases.push_back(global_case(true, 4, masked("even lanes", even_lanes, strided(4, 1)), step));
  return cases;
}

}  // namespace tilescope::hardware
