#include "profiler/execution/memory/nan_tracer.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/execution/memory/site_text.hpp"
#include "profiler/execution/simt/warp.hpp"

namespace tilescope {
namespace {

using Role = FloatForm::Role;
using simt::LaneMask;
using simt::Slot;
using simt::Warp;

constexpr std::uint32_t none = ~std::uint32_t{0};
constexpr std::uint32_t unknown = none - 1;
constexpr Slot pair_step = 2;

std::uint64_t bits_of(const Warp& warp, Slot slot, int lane, FloatKind kind) {
  const auto at = static_cast<std::size_t>(lane);
  if (kind == FloatKind::f64_pair) {
    return warp.read<std::uint32_t>(slot)[at] | std::uint64_t{warp.read<std::uint32_t>(slot + pair_step)[at]}
                                                    << 32;
  }
  const int bytes = bytes_of(kind);
  if (bytes == 8) return warp.read<std::uint64_t>(slot)[at];
  return bytes == 2 ? warp.read<std::uint16_t>(slot)[at] : warp.read<std::uint32_t>(slot)[at];
}

// Whether a value that was moved may be a NaN of some type.
bool looks_like_nan(const Warp& warp, Slot slot, int lane, int bytes) {
  const auto any = [](std::uint64_t bits) {
    return is_nan(bits, FloatKind::f32) || is_nan(bits, FloatKind::f16x2) || is_nan(bits, FloatKind::bf16x2);
  };
  if (bytes == 2) return any(bits_of(warp, slot, lane, FloatKind::f16));
  if (bytes == 4) return any(bits_of(warp, slot, lane, FloatKind::f32));
  const std::uint64_t bits = bits_of(warp, slot, lane, FloatKind::f64);
  return is_nan(bits, FloatKind::f64) || any(bits) || any(bits >> 32);
}

FloatKind kind_of_source(const FloatForm& form, std::size_t source) {
  return source >= form.first_sum ? form.result : form.factor;
}

template <class Each>
void for_lanes_of(LaneMask lanes, const Each& each) {
  for (LaneMask rest = lanes; rest != 0; rest &= rest - 1) each(std::countr_zero(rest));
}

}  // namespace

NanTracer::NanTracer(const simt::Program& program) : program_(program), forms_(program.code.size()) {}

bool NanTracer::is_of_compiler(const simt::Instruction& at) const {
  const std::uint32_t address = program_.origins[at.origin].address;
  return std::ranges::any_of(program_.compiler_functions, [&](const auto& function) {
    return address >= function.first && address < function.second;
  });
}

// The functions of the compiler for divisions and roots have the NaN of 0 / 0 as a literal.
bool NanTracer::makes_literal(const Warp& warp, const simt::Instruction& at, const FloatForm& form,
                              int lane) const {
  if (!is_of_compiler(at)) return false;
  return std::ranges::any_of(form.sources, [&](Slot source) {
    return source < 0 && is_nan(bits_of(warp, source, lane, FloatKind::f32), FloatKind::f32);
  });
}

const FloatForm& NanTracer::form_of(const simt::Instruction& at) {
  std::optional<FloatForm>& form = forms_[static_cast<std::size_t>(&at - program_.code.data())];
  if (!form) form = float_form_of(program_, at);
  return *form;
}

std::uint32_t NanTracer::origin_in(const Warp& warp, Slot slot, int lane) const {
  const auto w = static_cast<std::size_t>(warp.index());
  if (w >= registers_.size()) return none;
  const auto found = registers_[w].find(slot);
  return found == registers_[w].end() ? none : found->second[static_cast<std::size_t>(lane)];
}

void NanTracer::set_origin(const Warp& warp, Slot slot, int lane, std::uint32_t making) {
  const auto w = static_cast<std::size_t>(warp.index());
  if (w >= registers_.size()) registers_.resize(w + 1);
  auto found = registers_[w].find(slot);
  if (found == registers_[w].end()) {
    if (making == none) return;
    found = registers_[w].try_emplace(slot).first;
    found->second.fill(none);
  }
  found->second[static_cast<std::size_t>(lane)] = making;
}

// The NaN among the sources of a lane, by its origin, before the instruction may overwrite them.
void NanTracer::note_sources(const Warp& warp, const FloatForm& form, int lane) {
  std::uint32_t& found = sources_[static_cast<std::size_t>(lane)];
  for (std::size_t s = 0; s < form.sources.size(); ++s) {
    const std::uint32_t making = origin_in(warp, form.sources[s], lane);
    if (making != none && (found == none || found == unknown)) found = making;
    const FloatKind kind = kind_of_source(form, s);
    const bool computes = form.role == Role::arithmetic || form.role == Role::matrix;
    if (computes && found == none && kind != FloatKind::none &&
        is_nan(bits_of(warp, form.sources[s], lane, kind), kind))
      found = unknown;
  }
}

void NanTracer::before(const Warp& warp, const simt::Instruction& at) {
  const FloatForm& form = form_of(at);
  const auto w = static_cast<std::size_t>(warp.index());
  if (w >= callers_.size()) callers_.resize(w + 1, simt::no_index);
  if (!is_of_compiler(at)) callers_[w] = at.origin;
  if (form.role == Role::none) return;
  sources_.fill(none);
  if (form.role == Role::load) {
    for (auto& lane : loaded_) lane.fill(none);
    return;
  }
  const bool is_of_all = form.role == Role::matrix || form.role == Role::shuffle;
  for_lanes_of(is_of_all ? simt::all_lanes : warp.exec, [&](int lane) { note_sources(warp, form, lane); });
  if (form.role == Role::arithmetic) {
    for_lanes_of(warp.exec, [&](int lane) {
      std::string& text = inputs_[static_cast<std::size_t>(lane)];
      text.clear();
      if (making_numbers_.contains(at.origin)) return;
      for (const Slot source : form.sources) {
        if (form.factor == FloatKind::none) break;
        text +=
            (text.empty() ? "" : ", ") + number_text(bits_of(warp, source, lane, form.factor), form.factor);
      }
    });
  }
  if (!is_of_all) return;
  std::uint32_t any = none;
  for (const std::uint32_t making : sources_) {
    if (making != none && (any == none || any == unknown)) any = making;
  }
  sources_.fill(any);
}

std::uint32_t NanTracer::making_of(const Warp& warp, const simt::Instruction& at, const FloatForm& form,
                                   int lane) {
  const bool is_called = is_of_compiler(at);
  const std::uint32_t origin = is_called ? callers_[static_cast<std::size_t>(warp.index())] : at.origin;
  const auto [number, is_new] =
      making_numbers_.try_emplace(origin, static_cast<std::uint32_t>(makings_.size()));
  if (is_new) {
    const bool has_inputs = form.role == Role::arithmetic && !is_called;
    makings_.push_back({origin, warp.first_thread() + static_cast<std::uint32_t>(lane), lane,
                        has_inputs ? inputs_[static_cast<std::size_t>(lane)] : "", is_called});
  }
  return number->second;
}

std::uint32_t NanTracer::result_of(const Warp& warp, const simt::Instruction& at, const FloatForm& form,
                                   std::size_t result, int lane) {
  const auto l = static_cast<std::size_t>(lane);
  const Slot slot = form.results[result];
  const bool is_high = form.result == FloatKind::f64_pair && result == 1;
  switch (form.role) {
    case Role::arithmetic:
    case Role::matrix:
      if (!is_nan(bits_of(warp, is_high ? form.results[0] : slot, lane, form.result), form.result))
        return none;
      if (sources_[l] == unknown && makes_literal(warp, at, form, lane))
        return making_of(warp, at, form, lane);
      return sources_[l] != none ? sources_[l] : making_of(warp, at, form, lane);
    case Role::load:
      return loaded_[l][std::min<std::size_t>(result, 15)];
    default:
      if (sources_[l] == none && makes_literal(warp, at, form, lane)) return making_of(warp, at, form, lane);
      return sources_[l] != none && looks_like_nan(warp, slot, lane, form.result_bytes) ? sources_[l] : none;
  }
}

void NanTracer::after(const Warp& warp, const simt::Instruction& at) {
  const FloatForm& form = form_of(at);
  if (form.role == Role::none || form.role == Role::store) return;
  for_lanes_of(warp.exec, [&](int lane) {
    for (std::size_t r = 0; r < form.results.size(); ++r)
      set_origin(warp, form.results[r], lane, result_of(warp, at, form, r, lane));
  });
}

// Local memory is each thread's own.
std::uint64_t NanTracer::place_of_access(const Warp& warp, const simt::MemoryAccess& access, int lane,
                                         std::uint64_t element) const {
  const std::uint64_t address = access.addresses[lane] + element * access.element_bytes;
  if (access.space != simt::Space::local)
    return address | std::uint64_t{access.space == simt::Space::shared} << 62;
  return address | (std::uint64_t{warp.first_thread()} + static_cast<std::uint64_t>(lane) + 1) << 48 |
         std::uint64_t{1} << 63;
}

void NanTracer::access(const Warp& warp, const simt::MemoryAccess& access) {
  const FloatForm& form = form_of(*access.instruction);
  if (form.role == Role::store) return keep_stored(warp, access, form);
  if (form.role != Role::load || access.access != simt::Access::load || memory_.empty()) return;
  const std::uint64_t elements = access.lane_bytes / std::max<std::uint8_t>(access.element_bytes, 1);
  for_lanes_of(access.lanes, [&](int lane) {
    for (std::uint64_t e = 0; e < std::min<std::uint64_t>(elements, 16); ++e) {
      const auto found = memory_.find(place_of_access(warp, access, lane, e));
      if (found != memory_.end()) loaded_[static_cast<std::size_t>(lane)][e] = found->second;
    }
  });
}

void NanTracer::keep_stored(const Warp& warp, const simt::MemoryAccess& access, const FloatForm& form) {
  for_lanes_of(access.lanes, [&](int lane) {
    for (std::size_t e = 0; e < form.sources.size(); ++e) {
      const std::uint32_t making = origin_in(warp, form.sources[e], lane);
      const std::uint64_t place = place_of_access(warp, access, lane, e);
      if (making == none) {
        memory_.erase(place);
        continue;
      }
      memory_[place] = making;
      if (access.space != simt::Space::global || making == unknown) continue;
      ++stores_;
      if (stored_) continue;
      const std::uint64_t address = access.addresses[lane] + e * access.element_bytes;
      const simt::Allocation* buffer = warp.block().global->find(address, 1);
      const simt::Dimensions& block = warp.block().index;
      stored_ = Stored{making,
                       access.instruction->origin,
                       address,
                       buffer == nullptr
                           ? std::string()
                           : fmt::format(" (byte {} of '{}')", address - buffer->address, buffer->name),
                       {block.x, block.y, block.z}};
    }
  });
}

std::optional<Finding> NanTracer::finding(std::string_view main_file) const {
  if (!stored_) return std::nullopt;
  const Making& making = makings_[stored_->making];
  const SitePlace place = place_of(program_, making.origin, main_file);
  const SitePlace store = place_of(program_, stored_->origin, main_file);
  Finding finding;
  finding.kind = "first_nan";
  for (const SitePlace& one : {place, store}) {
    const bool is_known = one.line == 0 || std::ranges::find(finding.lines, one.line) != finding.lines.end();
    if (!is_known && (main_file.empty() || one.file == main_file)) finding.lines.push_back(one.line);
  }
  const std::string opcode(opcode_of(program_.origins[making.origin].text));
  const std::string made = making.is_in_compiler_function
                               ? "a division or a root, as the compiler computes it"
                           : making.inputs.empty() ? opcode + " of numbers that are none"
                                                   : opcode + " of " + making.inputs + ", none of them a NaN";
  finding.text = fmt::format(
      "a NaN begins in thread {} (lane {}) at {}: {}; it is stored at {}{}: check for 0 / 0, "
      "inf - inf, 0 * inf, and roots and logarithms of negative numbers",
      making.thread, making.lane, describe(place, main_file), made, describe(store, main_file),
      stored_->buffer);
  finding.block = {stored_->block[0], stored_->block[1], stored_->block[2]};
  finding.threads.push_back(making.thread);
  finding.addresses.push_back(static_cast<std::int64_t>(stored_->address));
  finding.occurrences = static_cast<std::int64_t>(stores_);
  return finding;
}

}  // namespace tilescope
