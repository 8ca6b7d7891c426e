// Conversions to and from numbers of fewer than 16 bits, and registers of 8 bits.

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/execution/ptx/tests/hardware/sweep_values.hpp"

namespace tilescope::hardware {
namespace {

struct Function {
  const char* name;
  /// Element of the result, which holds two halves.
  Element element = Element::u32;
};

// In the order of kernels/narrow_conversions.cu.
constexpr Function functions[] = {
    {"cvt.rn.satfinite.e4m3x2.f32"},
    {"cvt.rn.satfinite.relu.e4m3x2.f32"},
    {"cvt.rn.satfinite.e5m2x2.f32"},
    {"cvt.rn.satfinite.relu.e5m2x2.f32"},
    {"cvt.rn.satfinite.e4m3x2.f16x2"},
    {"cvt.rn.satfinite.relu.e4m3x2.f16x2"},
    {"cvt.rn.satfinite.e5m2x2.f16x2"},
    {"cvt.rn.satfinite.relu.e5m2x2.f16x2"},
    {"cvt.rn.f16x2.e4m3x2", Element::f16},
    {"cvt.rn.relu.f16x2.e4m3x2", Element::f16},
    {"cvt.rn.f16x2.e5m2x2", Element::f16},
    {"cvt.rn.relu.f16x2.e5m2x2", Element::f16},
    {"cvt.rn.satfinite.f16x2.f32", Element::f16},
    {"cvt.rn.satfinite.bf16x2.f32", Element::bf16},
    {"cvt.rz.f16x2.f32", Element::f16},
    {"cvt.rz.relu.bf16x2.f32", Element::bf16},
    {"cvt.rn.satfinite.f16.f32", Element::f16},
    {"cvt.rna.satfinite.tf32.f32", Element::f32},  // a GPU keeps the payload of NaN
    {"cvt.rz.tf32.f32", Element::f32},
    {"cvt.pack.sat.u16.s32"},
    {"cvt.pack.sat.s16.s32"},
    {"cvt.pack.sat.u8.s32.b32"},
    {"cvt.pack.sat.s8.s32.b32"},
    {"cvt.pack.sat.u4.s32.b32"},
    {"cvt.pack.sat.s4.s32.b32"},
    {"cvt.pack.sat.u2.s32.b32"},
    {"cvt.pack.sat.s2.s32.b32"},
    {"cvt through .u8"},
    {"cvt through .s8"},
    {"cvt.sat through .s8"},
    {"mov of four .b8"},
    {"ld and st through .u8"},
};

Case narrow_case(const char* name, std::vector<std::byte> (*values)(bool is_second)) {
  Case made;
  made.name = std::string("narrow_conversions/") + name;
  made.kernel = {"profiler/execution/ptx/tests/kernels/narrow_conversions.cu",
                 "narrow_conversions",
                 {{"FUNCTIONS", std::to_string(std::size(functions))}},
                 "sm_90"};
  made.launch.block.x = 128;
  made.launch.grid.x = sweep_count / 128;
  ParameterList(made)
      .pointer(input_buffer("x", [values] { return values(false); }))
      .pointer(input_buffer("y", [values] { return values(true); }))
      .pointer(output_buffer("out", std::size(functions) * sweep_count * 4))
      .value(static_cast<std::int32_t>(sweep_count));
  for (const Function& function : functions) {
    Region region;
    region.name = function.name;
    region.buffer = 2;
    region.element = function.element;
    const std::size_t per_word = 4 / bytes_of(function.element);
    region.first = made.regions.size() * sweep_count * per_word;
    region.count = sweep_count * per_word;
    made.regions.push_back(std::move(region));
  }
  return made;
}

}  // namespace

std::vector<Case> narrow_cases() {
  return {narrow_case("of floats", float_values), narrow_case("of words", word_values),
          narrow_case("of halves", packed_values)};
}

}  // namespace tilescope::hardware
