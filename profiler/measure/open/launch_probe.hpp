#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiler/execution/simt/block.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/measure/files/fill_pattern.hpp"

namespace tilescope {

/// An argument of a launch whose buffers have no size yet, or a member of one.
struct ProbeArgument {
  std::string name;
  /// The kernel's parameter, from 0, and the bytes of it that this takes [B].
  std::size_t parameter = 0;
  std::uint64_t offset = 0, bytes = 0;
  /// The address of a region that is large enough for any size. Else `value` is passed.
  bool is_pointer = false;
  std::vector<std::byte> value;
  /// The contents behind a pointer; zeros without them.
  std::optional<PatternFill> contents{};
};

/// Use that a launch made of the memory behind one pointer.
struct TouchedRegion {
  bool is_read = false, is_written = false, is_atomic = false;
  /// The first access was a load: the values before the launch matter.
  bool is_read_first = false;
  /// [B] From the pointer to the end of the highest access; 0 where nothing was touched.
  std::uint64_t bytes = 0;
  /// [B] From the lowest access to the pointer, for accesses below it.
  std::uint64_t below = 0;
  /// [B] Stored, atomics left out; an element that is stored twice counts twice.
  std::uint64_t stored_bytes = 0;
  /// Pages that were touched, of probe_page_bytes, from probe_lead_bytes below the pointer.
  std::vector<bool> pages;
  /// [B] Size of the smallest element accessed; 0 as above.
  std::uint32_t element_bytes = 0;
};

struct ProbedLaunch {
  /// By argument; empty for a number.
  std::vector<TouchedRegion> regions;
  std::optional<simt::Fault> fault;
  bool cancelled = false;
  /// Warp instructions of the blocks that ran, by their linear index.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> instructions;
  /// Whether any block that ran stored to global memory.
  bool stores = false;
};

/// [B] of address space around each pointer, the part of it below the pointer, and the unit in which touched memory is
/// recorded. Memory is committed only where it is touched.
inline constexpr std::uint64_t probe_region_bytes = std::uint64_t{1} << 36U;
inline constexpr std::uint64_t probe_lead_bytes = std::uint64_t{1} << 24U;
inline constexpr std::uint64_t probe_page_bytes = std::uint64_t{1} << 16U;

/// Runs some blocks of a launch on memory that is zero where an argument gives no contents, and reports which memory they
/// touch. Throws what simt::run throws, and std::runtime_error where no address space is left.
ProbedLaunch probe_launch(const simt::Program& program, const simt::Dimensions& grid,
                          const simt::Dimensions& block, std::uint32_t dynamic_shared_bytes,
                          const std::vector<ProbeArgument>& arguments,
                          const std::vector<std::uint64_t>& blocks, const std::function<bool()>& cancelled);

/// Joins what two launches touched.
void join(const ProbedLaunch& from, ProbedLaunch& into);

/// [B] of the pages that were touched.
std::uint64_t touched_bytes(const TouchedRegion& region);

/// Some blocks of a grid that show how far it reaches: its last and its first one, its other corners, and others between
/// them, at most `most`, and two at least.
std::vector<std::uint64_t> reaching_blocks(const simt::Dimensions& grid, std::size_t most);

}  // namespace tilescope
