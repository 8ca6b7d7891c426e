#include "profiler/execution/memory/float_form.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <string>

#include <fmt/format.h>

#include "profiler/execution/memory/site_text.hpp"

namespace tilescope {
namespace {

using simt::Instruction;
using simt::no_slot;
using simt::Program;
using simt::Slot;
using Names = std::initializer_list<std::string_view>;

constexpr Slot register_step = 2;  // from a register of 32 bits to the next one

bool is_one_of(std::string_view word, Names names) {
  return std::ranges::find(names, word) != names.end();
}

// The parts of "add.rn.f32", without the operands.
std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  std::string_view all = mnemonic_of(text);
  while (!all.empty()) {
    const std::size_t dot = all.find('.');
    words.push_back(all.substr(0, dot));
    all = dot == std::string_view::npos ? std::string_view() : all.substr(dot + 1);
  }
  return words;
}

FloatKind kind_named(std::string_view type) {
  if (type == "f16") return FloatKind::f16;
  if (type == "f16x2") return FloatKind::f16x2;
  if (type == "bf16") return FloatKind::bf16;
  if (type == "bf16x2") return FloatKind::bf16x2;
  if (type == "f32" || type == "tf32") return FloatKind::f32;
  return type == "f64" ? FloatKind::f64 : FloatKind::none;
}

// A number in a register of 16 bits twice as many of them hold two of.
FloatKind packed(FloatKind kind) {
  if (kind == FloatKind::f16) return FloatKind::f16x2;
  return kind == FloatKind::bf16 ? FloatKind::bf16x2 : kind;
}

bool is_type(std::string_view word) {
  if (kind_named(word) != FloatKind::none) return true;
  return is_one_of(word, {"u8", "s8", "b8", "u16", "s16", "b16", "u32", "s32", "b32", "u64", "s64", "b64"});
}

void take_sources(const Program& program, const Instruction& i, FloatForm& form) {
  for (const Slot slot : {i.a, i.b, i.c}) {
    if (slot != no_slot) form.sources.push_back(slot);
  }
  for (std::size_t at = 0; at < i.operand_count; ++at) {
    const Slot slot = program.operands[i.operands + at];
    if (slot != no_slot) form.sources.push_back(slot);
  }
}

// The operands are the results, the factors and the sums.
void take_matrices(const Program& program, const Instruction& i, std::size_t sums, FloatForm& form) {
  for (std::size_t at = 0; at < i.operand_count; ++at) {
    const Slot slot = program.operands[i.operands + at];
    (at < sums ? form.results : form.sources).push_back(slot);
  }
  form.first_sum = form.sources.size() - std::min(sums, form.sources.size());
}

void take_moved(const Program& program, const Instruction& i, Slot only, FloatForm& form) {
  const std::size_t count = std::max<std::size_t>(i.count, 1);
  const bool is_listed = program.is_machine_code || count > 1;
  std::vector<Slot>& registers = form.role == FloatForm::Role::load ? form.results : form.sources;
  if (!is_listed) {
    if (only != no_slot) registers.push_back(only);
    return;
  }
  for (std::size_t at = 0; at < count && at < i.operand_count; ++at)
    registers.push_back(program.operands[i.operands + at]);
}

// Instructions that write a predicate, or no register.
bool has_no_value(std::string_view opcode) {
  return opcode.find("setp") != std::string_view::npos || opcode.find("SETP") != std::string_view::npos ||
         is_one_of(opcode, {"testp", "vote", "VOTE", "VOTEU", "PLOP3", "R2P", "FCHK", "bar", "BAR", "elect"});
}

// [B] of the type of a result: "mov.b64", "cvt.u16.f32".
int result_bytes_of(const std::vector<std::string_view>& words) {
  for (const std::string_view word : words) {
    if (!is_type(word)) continue;
    if (word.ends_with("x2") || word.ends_with("32")) return 4;
    return word.ends_with("64") ? 8 : 2;
  }
  return 4;
}

void find_ptx_kinds(const std::vector<std::string_view>& words, FloatForm& form) {
  std::vector<std::string_view> types;
  std::ranges::copy_if(words.begin() + 1, words.end(), std::back_inserter(types), is_type);
  const std::string_view opcode = words[0];
  if (types.empty()) return;
  if (opcode == "mma" || opcode == "wmma") {
    form.role = FloatForm::Role::matrix;
    form.result = packed(kind_named(types[0]));
    form.factor = packed(kind_named(types.size() > 2 ? types[1] : "f16"));
  } else if (opcode == "cvt") {
    form.role = FloatForm::Role::arithmetic;
    form.result = kind_named(types[0]);
    form.factor = kind_named(types.back());
  } else if (is_one_of(opcode, {"add", "sub", "mul", "fma", "mad", "div", "rcp", "sqrt", "rsqrt", "ex2",
                                "lg2", "sin", "cos", "tanh", "min", "max", "neg", "abs"})) {
    form.role = FloatForm::Role::arithmetic;
    form.result = form.factor = kind_named(types.back());
  }
  const bool is_known = form.result != FloatKind::none;
  if (!is_known) form.role = FloatForm::Role::move;
}

void find_machine_kinds(const std::vector<std::string_view>& words, FloatForm& form) {
  const std::string_view opcode = words[0];
  const auto has = [&](std::string_view word) { return std::ranges::find(words, word) != words.end(); };
  const FloatKind half = has("BF16_V2") || has("BF16") ? FloatKind::bf16x2 : FloatKind::f16x2;
  const auto computes = [&](FloatKind result, FloatKind factor) {
    form.role = FloatForm::Role::arithmetic;
    form.result = result;
    form.factor = factor;
  };
  if (is_one_of(opcode, {"FADD", "FMUL", "FFMA", "FMNMX"})) computes(FloatKind::f32, FloatKind::f32);
  if (opcode == "MUFU" && !has("RCP64H") && !has("RSQ64H")) computes(FloatKind::f32, FloatKind::f32);
  if (is_one_of(opcode, {"HADD2", "HMUL2", "HFMA2", "HMNMX2"}))
    computes(has("F32") ? FloatKind::f32 : half, half);
  if (is_one_of(opcode, {"DADD", "DMUL", "DFMA"})) computes(FloatKind::f64_pair, FloatKind::f64_pair);
  if (opcode == "F2FP") computes(half, FloatKind::f32);
  if (opcode != "HMMA") return;
  form.role = FloatForm::Role::matrix;
  form.result = has("F32") ? FloatKind::f32 : FloatKind::f16x2;
  form.factor = has("TF32") ? FloatKind::f32 : half;
}

}  // namespace

bool is_nan(std::uint64_t bits, FloatKind kind) {
  const auto is_half = [](std::uint64_t half) { return (half & 0x7fff) > 0x7c00; };
  const auto is_bfloat = [](std::uint64_t half) { return (half & 0x7fff) > 0x7f80; };
  switch (kind) {
    case FloatKind::f16:
      return is_half(bits);
    case FloatKind::f16x2:
      return is_half(bits) || is_half(bits >> 16);
    case FloatKind::bf16:
      return is_bfloat(bits);
    case FloatKind::bf16x2:
      return is_bfloat(bits) || is_bfloat(bits >> 16);
    case FloatKind::f32:
      return (bits & 0x7fffffff) > 0x7f800000;
    case FloatKind::f64:
    case FloatKind::f64_pair:
      return (bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
    case FloatKind::none:
      return false;
  }
  return false;
}

int bytes_of(FloatKind kind) {
  if (kind == FloatKind::f16 || kind == FloatKind::bf16) return 2;
  return kind == FloatKind::f64 ? 8 : 4;
}

std::string number_text(std::uint64_t bits, FloatKind kind) {
  const auto text = [](double value) { return fmt::format("{:.6g}", value); };
  const auto bfloat = [&](std::uint64_t half) {
    return text(std::bit_cast<float>(static_cast<std::uint32_t>(half & 0xffff) << 16));
  };
  const auto half = [&](std::uint64_t from) {
    const auto sign = static_cast<double>((from & 0x8000) != 0 ? -1 : 1);
    const auto exponent = static_cast<int>(from >> 10 & 31);
    const auto fraction = static_cast<double>(from & 0x3ff);
    if (exponent == 31) return std::string(fraction != 0 ? "nan" : sign < 0 ? "-inf" : "inf");
    return text(exponent == 0 ? sign * std::ldexp(fraction, -24)
                              : sign * std::ldexp(1024 + fraction, exponent - 25));
  };
  switch (kind) {
    case FloatKind::f16:
      return half(bits);
    case FloatKind::f16x2:
      return half(bits) + " and " + half(bits >> 16);
    case FloatKind::bf16:
      return bfloat(bits);
    case FloatKind::bf16x2:
      return bfloat(bits) + " and " + bfloat(bits >> 16);
    case FloatKind::f64:
    case FloatKind::f64_pair:
      return text(std::bit_cast<double>(bits));
    default:
      return text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
}

FloatForm float_form_of(const Program& program, const Instruction& i) {
  using Role = FloatForm::Role;
  FloatForm form;
  const std::vector<std::string_view> words = words_of(program.origins[i.origin].text);
  if (words.empty() || has_no_value(words[0])) return form;
  const std::string_view opcode = words[0];
  if (is_one_of(opcode, {"ld", "ldu", "LDG", "LDS", "LDL", "LD"})) {
    form.role = Role::load;
    take_moved(program, i, i.d, form);
    return form;
  }
  if (is_one_of(opcode, {"st", "STG", "STS", "STL", "ST"})) {
    form.role = Role::store;
    take_moved(program, i, i.b, form);
    return form;
  }
  form.role = is_one_of(opcode, {"shfl", "SHFL"}) ? Role::shuffle : Role::move;
  if (form.role == Role::move) {
    program.is_machine_code ? find_machine_kinds(words, form) : find_ptx_kinds(words, form);
  }
  if (form.role == Role::matrix) {
    const std::size_t wide = opcode == "wmma" ? 8 : 4;
    take_matrices(program, i, form.result == FloatKind::f32 ? wide : wide / 2, form);
    return form;
  }
  if (i.d == no_slot) return {};
  if (!program.is_machine_code) form.result_bytes = result_bytes_of(words);
  form.results.push_back(i.d);
  if (form.result == FloatKind::f64_pair) form.results.push_back(i.d + register_step);
  take_sources(program, i, form);
  // The third operand is a predicate, which chooses.
  if (opcode == "FMNMX" && form.sources.size() > 2) form.sources.resize(2);
  return form;
}

}  // namespace tilescope
