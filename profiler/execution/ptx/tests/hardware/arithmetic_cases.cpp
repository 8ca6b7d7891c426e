// Scalar functions over special values, moderate numbers and random bits. The lists of names follow
// kernels/arithmetic_sweep.cu. The approximate functions have the tolerances of the PTX ISA ("Floating Point
// Instructions"), once for each side.

#include <span>

#include "profiler/execution/ptx/tests/hardware/hardware_case.hpp"
#include "profiler/execution/ptx/tests/hardware/sweep_values.hpp"

namespace tilescope::hardware {
namespace {

struct Function {
  const char* name;
  Tolerance tolerance = {};
  const char* reason = "";
  /// Differs from the group's element; u32: the group's.
  Element element = Element::u32;
};

constexpr const char* approximate = "an approximation by contract: both keep the bound of the PTX ISA";
constexpr const char* through_approximate = "CUDA's function ends in an approximate instruction";

constexpr Function float_functions[] = {
    {"add"},
    {"sub"},
    {"mul"},
    {"fma"},
    {"div.rn"},
    {"sqrt.rn"},
    {"rcp.rn"},
    {"rcp.rm"},
    {"sqrt.rz"},
    {"add.rz"},
    {"add.rp"},
    {"mul.rm"},
    {"fma.rp"},
    {"add.ftz"},
    {"mul.ftz.sat"},
    {"min"},
    {"max"},
    {"min.NaN"},
    {"max.xorsign.abs"},
    {"copysign"},
    {"floor"},
    {"ceil"},
    {"trunc"},
    {"rint"},
    {"abs"},
    {"saturate"},
    {"select"},
    {"fmod"},
    {"sinf"},
    {"cosf"},
    {"logf"},
    {"log1pf"},
    {"erff", {0, 0x1p-21}, through_approximate},
    {"cbrtf", {0, 0x1p-22}, through_approximate},
    {"atan2f", {0, 0x1p-21}, through_approximate},
    {"rcp.approx", {0, 0x1p-22}, approximate},
    {"sqrt.approx", {0, 0x1p-21}, approximate},
    {"rsqrt.approx", {0, 0x1p-21}, approximate},
    {"ex2.approx", {0, 0x1p-21}, approximate},
    {"lg2.approx", {0x1p-21, 0x1p-21}, approximate},
    {"sin.approx", {0x1p-19, 0}, approximate},
    {"cos.approx", {0x1p-19, 0}, approximate},
    {"tanh.approx", {0, 0x1p-10}, approximate},
    {"div.approx", {0, 0x1p-20}, approximate},
    {"div.full", {0, 0x1p-20}, approximate},
    {"expf", {0, 0x1p-20}, through_approximate},
    {"exp2f", {0, 0x1p-20}, through_approximate},
    {"tanhf", {0, 0x1p-20}, through_approximate},
};

constexpr Function packed_functions[] = {
    {"add.f16x2", {}, "", Element::f16},
    {"sub.f16x2", {}, "", Element::f16},
    {"mul.f16x2", {}, "", Element::f16},
    {"fma.f16x2", {}, "", Element::f16},
    {"fma.relu.f16x2", {}, "", Element::f16},
    {"add.ftz.f16x2", {}, "", Element::f16},
    {"min.f16x2", {}, "", Element::f16},
    {"max.NaN.f16x2", {}, "", Element::f16},
    {"neg.f16x2", {}, "", Element::f16},
    {"abs.f16x2", {}, "", Element::f16},
    {"set.lt.f16x2", {}, "", Element::f16},
    {"fma.bf16x2", {}, "", Element::bf16},
    {"min.bf16x2", {}, "", Element::bf16},
    {"max.bf16x2", {}, "", Element::bf16},
    {"neg.bf16x2", {}, "", Element::bf16},
    {"ex2.approx.f16x2", {0x1p-24, 0x1p-9}, approximate, Element::f16},
    {"tanh.approx.f16x2", {0x1p-24, 0x1p-9}, approximate, Element::f16},
    {"ex2.approx.ftz.bf16x2", {0, 0x1p-6}, approximate, Element::bf16},
    {"tanh.approx.bf16x2", {0, 0x1p-6}, approximate, Element::bf16},
};

constexpr Function integer_functions[] = {
    {"add"},
    {"mul"},
    {"mul.hi.u32"},
    {"mul.hi.s32"},
    {"div.u32"},
    {"rem.u32"},
    {"div.s32"},
    {"rem.s32"},
    {"div.s64"},
    {"rem.u64"},
    {"shr.s64"},
    {"mul.hi.s64"},
    {"mul.hi.u64"},
    {"min.s32"},
    {"max.u32"},
    {"abs"},
    {"popc"},
    {"clz"},
    {"ffs"},
    {"shl.b32"},
    {"shr.u32"},
    {"shr.s32"},
    {"shl.b32 far"},
    {"bfe.u32"},
    {"bfe.s32"},
    {"bfi.b32"},
    {"prmt"},
    {"prmt.f4e"},
    {"prmt.ecl"},
    {"prmt.rc16"},
    {"shf.l.wrap"},
    {"shf.r.clamp"},
    {"sad.s32"},
    {"mad.hi.s32"},
    {"mad24.lo.s32"},
    {"dp4a.s32.u32"},
    {"dp2a.lo.s32.s32"},
    {"bfind.s32"},
    {"bfind.shiftamt.u32"},
    {"brev"},
    {"cnot"},
    {"add.sat.s32"},
    {"sub.sat.s32"},
    {"lop3 0x96"},
    {"lop3 0xca"},
    {"add.cc and addc"},
};

constexpr Function conversion_functions[] = {
    {"cvt.rni.s32.f32"},
    {"cvt.rzi.u32.f32"},
    {"cvt.rmi.ftz.s32.f32"},
    {"cvt.rpi.s32.f32"},
    {"cvt.rzi.s8.f32"},
    {"cvt.rni.sat.u8.f32"},
    {"cvt.rna.tf32.f32", {}, "", Element::f32},  // a GPU keeps the payload of NaN
    {"cvt.rn.f16.f32", {}, "", Element::f16},
    {"cvt.rz.f16.f32", {}, "", Element::f16},
    {"cvt.rn.relu.f16.f32", {}, "", Element::f16},
    {"cvt.rn.bf16.f32", {}, "", Element::bf16},
    {"cvt.rz.bf16.f32", {}, "", Element::bf16},
    {"cvt.rn.f16x2.f32", {}, "", Element::f16},
    {"cvt.rn.bf16x2.f32", {}, "", Element::bf16},
    {"cvt.f32.f16", {}, "", Element::f32},
    {"cvt.rn.f32.u16"},
    {"cvt.rn.f32.u32"},
    {"cvt.rn.f32.s32"},
    {"cvt.rn.f32.u64"},
    {"cvt.rz.f32.s64"},
    {"cvt.rni.s64.f32"},
    {"cvt.rzi.u64.f32"},
    {"cvt.f64.f32"},
    {"cvt.rn.f32.f64", {}, "", Element::f32},
    {"cvt.rm.f32.f64", {}, "", Element::f32},
    {"cvt.rni.s32.f64"},
    {"cvt.s32.s8"},
    {"cvt.rzi.s64.f64"},
};

constexpr Function double_functions[] = {{"add"}, {"mul"}, {"fma"},   {"div.rn"}, {"sqrt.rn"}, {"rcp.rn"},
                                         {"min"}, {"max"}, {"floor"}, {"rint"},   {"exp"},     {"log"}};

struct Group {
  const char* name;
  Element element;
  std::span<const Function> functions;
  std::vector<std::byte> (*values)(bool is_second);
  const char* arch = "sm_89";
};

Case sweep_case(const Group& group, int number) {
  const std::size_t width = bytes_of(group.element);
  Case made;
  made.name = std::string("arithmetic/") + group.name;
  made.kernel = {"profiler/execution/ptx/tests/kernels/arithmetic_sweep.cu",
                 "arithmetic_sweep",
                 {{"SWEEP", std::to_string(number)}, {"FUNCTIONS", std::to_string(group.functions.size())}},
                 group.arch};
  made.launch.block.x = 128;
  made.launch.grid.x = sweep_count / 128;
  ParameterList(made)
      .pointer(input_buffer("x", [values = group.values] { return values(false); }))
      .pointer(input_buffer("y", [values = group.values] { return values(true); }))
      .pointer(output_buffer("out", group.functions.size() * sweep_count * width))
      .value(static_cast<std::int32_t>(sweep_count));
  for (std::size_t i = 0; i < group.functions.size(); ++i) {
    const Function& function = group.functions[i];
    Region region;
    region.name = function.name;
    region.buffer = 2;
    region.element = function.element == Element::u32 ? group.element : function.element;
    const std::size_t per_place = width / bytes_of(region.element);
    region.first = i * sweep_count * per_place;
    region.count = sweep_count * per_place;
    region.tolerance = function.tolerance;
    region.reason = function.reason;
    made.regions.push_back(std::move(region));
  }
  return made;
}

}  // namespace

std::vector<Case> arithmetic_cases() {
  const Group groups[] = {{"floats", Element::f32, float_functions, float_values},
                          {"packed halves", Element::u32, packed_functions, packed_values, "sm_90"},
                          {"integers", Element::u32, integer_functions, word_values},
                          {"conversions", Element::u32, conversion_functions, float_values},
                          {"doubles", Element::f64, double_functions, double_values}};
  std::vector<Case> cases;
  cases.reserve(std::size(groups));
  for (std::size_t i = 0; i < std::size(groups); ++i)
    cases.push_back(sweep_case(groups[i], static_cast<int>(i)));
  return cases;
}

}  // namespace tilescope::hardware
