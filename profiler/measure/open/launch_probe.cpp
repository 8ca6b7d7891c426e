#include "profiler/measure/open/launch_probe.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>
#include <stdexcept>
#include <utility>

namespace tilescope {
namespace {

// A block that runs longer shows no more of what it touches.
constexpr std::uint64_t most_instructions_of_block = 40'000'000;
constexpr std::size_t blocks_between_corners = 8;

struct Region {
  std::uint64_t address = 0;
  std::size_t argument = 0;
};

void join(const TouchedRegion& from, TouchedRegion& into) {
  if (from.element_bytes == 0) return;
  const bool is_first = into.element_bytes == 0;
  into.is_read |= from.is_read;
  into.is_written |= from.is_written;
  into.is_atomic |= from.is_atomic;
  into.is_read_first |= from.is_read_first;
  into.bytes = std::max(into.bytes, from.bytes);
  into.below = std::max(into.below, from.below);
  into.stored_bytes += from.stored_bytes;
  if (into.pages.size() < from.pages.size()) into.pages.resize(from.pages.size());
  for (std::size_t i = 0; i < from.pages.size(); ++i)
    if (from.pages[i]) into.pages[i] = true;
  into.element_bytes = is_first ? from.element_bytes : std::min(into.element_bytes, from.element_bytes);
}

// Records the memory that the blocks of one host thread touch.
class TouchObserver : public simt::Observer {
 public:
  TouchObserver(const simt::Program& program, const std::vector<Region>& regions, std::size_t arguments)
      : program_(program), regions_(regions), touched_(arguments) {}

  bool wants_basic_blocks() const override { return true; }
  void begin_block(const simt::Block& block) override {
    executed_ = 0;
    block_ = block.linear_index;
  }
  void basic_block(const simt::Warp&, std::uint32_t number) override {
    executed_ += program_.blocks[number].issued();
  }
  void end_block(const simt::Block&) override { blocks.emplace_back(block_, executed_); }

  void access(const simt::Warp&, const simt::MemoryAccess& access) override {
    if (access.space != simt::Space::global) return;
    for (simt::LaneMask lanes = access.lanes; lanes != 0; lanes &= lanes - 1)
      touch(access, access.addresses[std::countr_zero(lanes)]);
  }

  const std::vector<TouchedRegion>& touched() const { return touched_; }
  bool stores = false;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> blocks;

 private:
  static bool writes(simt::Access access) {
    return access == simt::Access::store || access == simt::Access::matrix_store || is_atomic(access);
  }

  void touch(const simt::MemoryAccess& access, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(regions_, address, {}, &Region::address);
    if (after == regions_.begin()) return;
    const Region& region = *std::prev(after);
    const std::uint64_t offset = address - region.address;
    if (offset >= probe_region_bytes) return;
    TouchedRegion& touched = touched_[region.argument];
    const bool writes_it = writes(access.access);
    if (touched.element_bytes == 0) {
      touched.is_read_first = !writes_it || is_atomic(access.access);
      touched.element_bytes = access.element_bytes;
    }
    take_extent(touched, offset, access.lane_bytes);
    touched.element_bytes = std::min<std::uint32_t>(touched.element_bytes, access.element_bytes);
    touched.is_read |= !writes_it || is_atomic(access.access);
    touched.is_written |= writes_it;
    if (writes_it && !is_atomic(access.access)) touched.stored_bytes += access.lane_bytes;
    touched.is_atomic |= is_atomic(access.access);
    stores |= writes_it;
  }

  // `offset`: from the start of the region.
  static void take_extent(TouchedRegion& touched, std::uint64_t offset, std::uint32_t bytes) {
    if (offset < probe_lead_bytes) touched.below = std::max(touched.below, probe_lead_bytes - offset);
    if (offset + bytes > probe_lead_bytes)
      touched.bytes = std::max(touched.bytes, offset + bytes - probe_lead_bytes);
    const std::size_t last = (offset + bytes - 1) / probe_page_bytes;
    if (touched.pages.size() <= last) touched.pages.resize(last + 1);
    touched.pages[offset / probe_page_bytes] = true;
    touched.pages[last] = true;
  }

  const simt::Program& program_;
  const std::vector<Region>& regions_;
  std::vector<TouchedRegion> touched_;
  std::uint64_t executed_ = 0, block_ = 0;
};

// The memory of a probed launch, and its arguments.
class ProbeMemory {
 public:
  ProbeMemory(const simt::Program& program, const std::vector<ProbeArgument>& arguments)
      : parameters_(program.parameter_bytes) {
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const ProbeArgument& argument = arguments[i];
      const bool is_inside = argument.parameter < program.parameters.size() &&
                             argument.offset + argument.bytes <= program.parameters[argument.parameter].bytes;
      if (!is_inside)
        throw std::invalid_argument("an argument of the launch is not one of the kernel's parameters");
      place(program.parameters[argument.parameter].offset + argument.offset, argument, i);
    }
  }

  simt::GlobalMemory& memory() { return memory_; }
  const std::vector<std::byte>& parameters() const { return parameters_; }
  const std::vector<Region>& regions() const { return regions_; }

 private:
  void place(std::uint64_t offset, const ProbeArgument& argument, std::size_t index) {
    std::byte* const into = parameters_.data() + offset;
    if (!argument.is_pointer) {
      std::memcpy(into, argument.value.data(), std::min<std::size_t>(argument.value.size(), argument.bytes));
      return;
    }
    const std::uint64_t address = memory_.allocate_sparse(argument.name, probe_region_bytes);
    regions_.push_back({address, index});
    const std::uint64_t pointer = address + probe_lead_bytes;
    if (argument.contents) {
      const std::uint64_t filled = argument.contents->bytes();
      argument.contents->write(memory_.find(pointer, filled)->data + probe_lead_bytes, 0, filled);
    }
    std::memcpy(into, &pointer, std::min<std::size_t>(sizeof pointer, argument.bytes));
  }

  simt::GlobalMemory memory_;
  std::vector<std::byte> parameters_;
  std::vector<Region> regions_;  // by ascending address, as they are attached
};

}  // namespace

ProbedLaunch probe_launch(const simt::Program& program, const simt::Dimensions& grid,
                          const simt::Dimensions& block, std::uint32_t dynamic_shared_bytes,
                          const std::vector<ProbeArgument>& arguments,
                          const std::vector<std::uint64_t>& blocks, const std::function<bool()>& cancelled) {
  ProbeMemory memory(program, arguments);
  simt::Launch launch;
  launch.grid = grid;
  launch.block = block;
  launch.dynamic_shared_bytes = dynamic_shared_bytes;
  launch.parameters = memory.parameters();
  simt::RunOptions options;
  options.blocks = blocks;
  options.instructions_per_block = most_instructions_of_block;
  options.cancelled = cancelled;
  options.make_observer = [&] {
    return std::make_unique<TouchObserver>(program, memory.regions(), arguments.size());
  };
  const simt::RunResult run = simt::run(program, launch, memory.memory(), options);
  ProbedLaunch probed;
  probed.fault = run.fault;
  probed.cancelled = run.cancelled;
  probed.regions.resize(arguments.size());
  for (const auto& each : run.observers) {
    const auto& observer = static_cast<const TouchObserver&>(*each);
    for (std::size_t i = 0; i < arguments.size(); ++i) join(observer.touched()[i], probed.regions[i]);
    probed.stores |= observer.stores;
    probed.instructions.insert(probed.instructions.end(), observer.blocks.begin(), observer.blocks.end());
  }
  std::ranges::sort(probed.instructions);
  return probed;
}

void join(const ProbedLaunch& from, ProbedLaunch& into) {
  for (std::size_t i = 0; i < from.regions.size(); ++i) join(from.regions[i], into.regions[i]);
  if (!into.fault) into.fault = from.fault;
  into.cancelled |= from.cancelled;
  into.stores |= from.stores;
}

std::uint64_t touched_bytes(const TouchedRegion& region) {
  return probe_page_bytes * static_cast<std::uint64_t>(std::ranges::count(region.pages, true));
}

std::vector<std::uint64_t> reaching_blocks(const simt::Dimensions& grid, std::size_t most) {
  const std::uint64_t count = grid.count();
  std::vector<std::uint64_t> ordered = {count - 1, 0};
  for (const std::uint64_t z : {0U, grid.z - 1})
    for (const std::uint64_t y : {0U, grid.y - 1})
      for (const std::uint64_t x : {0U, grid.x - 1}) ordered.push_back(x + grid.x * (y + grid.y * z));
  for (std::size_t i = 1; i <= blocks_between_corners; ++i)
    ordered.push_back(count * i / (blocks_between_corners + 1));
  std::set<std::uint64_t> blocks;
  for (const std::uint64_t block : ordered)
    if (blocks.size() < std::max<std::size_t>(most, 2)) blocks.insert(block);
  return {blocks.begin(), blocks.end()};
}

}  // namespace tilescope
