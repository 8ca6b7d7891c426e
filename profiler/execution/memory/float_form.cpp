#include "profiler/execution/memory/float_form.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace tilescope {
namespace {

using simt::Instruction;
using simt::no_slot;
using simt::Program;
using simt::Slot;

constexpr Slot register_step = 2;  // from a register of 32 bits to the next one

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

static FloatForm::Role role_of(const simt::DataFacts& data) {
  using Role = FloatForm::Role;
  switch (data.use) {
    case simt::DataUse::no_number:
      return Role::none;
    case simt::DataUse::load:
      return Role::load;
    case simt::DataUse::store:
      return Role::store;
    case simt::DataUse::shuffle:
      return Role::shuffle;
    default:
      break;
  }
  if (data.floats.result == FloatKind::none) return Role::move;
  return data.floats.matrix_registers != 0 ? Role::matrix : Role::arithmetic;
}

FloatForm float_form_of(const Program& program, const Instruction& i) {
  using Role = FloatForm::Role;
  const simt::DataFacts& data = program.origins[i.origin].data;
  FloatForm form;
  form.role = role_of(data);
  form.result = data.floats.result;
  form.factor = data.floats.factor;
  switch (form.role) {
    case Role::none:
      return form;
    case Role::load:
      take_moved(program, i, i.d, form);
      return form;
    case Role::store:
      take_moved(program, i, i.b, form);
      return form;
    case Role::matrix:
      take_matrices(program, i, data.floats.matrix_registers, form);
      return form;
    default:
      break;
  }
  if (i.d == no_slot) return {};
  form.result_bytes = data.floats.result_bytes;
  form.results.push_back(i.d);
  if (form.result == FloatKind::f64_pair) form.results.push_back(i.d + register_step);
  take_sources(program, i, form);
  if (form.sources.size() > data.floats.numbers) form.sources.resize(data.floats.numbers);
  return form;
}

}  // namespace tilescope
