#include "profiler/execution/memory/stored_nan.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "profiler/execution/memory/nan_tracer.hpp"

namespace tilescope {
namespace {

// A run of one block for the origin of a NaN, which executes one instruction at a time. [warp instructions]
constexpr std::uint64_t most_instructions = 50'000'000;

// The last block that wrote the word, by any host thread.
std::optional<std::uint64_t> last_writer(std::span<const GlobalChecker* const> checkers,
                                         std::uint64_t address) {
  std::optional<std::uint64_t> block;
  for (const GlobalChecker* checker : checkers) {
    const auto& pages = checker->shadow().pages();
    const auto page = pages.find(address / GlobalShadow::page_bytes);
    if (page == pages.end()) continue;
    const GlobalCell& cell = page->second.cells[address % GlobalShadow::page_bytes / page->second.grain];
    if (cell.write.block != no_block) block = std::max<std::uint64_t>(block.value_or(0), cell.write.block);
  }
  return block;
}

}  // namespace

std::optional<std::uint64_t> block_that_stored_nan(std::span<const GlobalChecker* const> checkers,
                                                   std::span<const GivenBuffer> buffers,
                                                   const simt::GlobalMemory& memory) {
  std::optional<std::uint64_t> lowest;
  for (const GivenBuffer& buffer : buffers) {
    const simt::Allocation* allocation = memory.find(buffer.address, buffer.bytes);
    if (buffer.kind == FloatKind::none || allocation == nullptr) continue;
    for (std::uint64_t at = 0; at + buffer.element_bytes <= buffer.bytes; at += buffer.element_bytes) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, allocation->data + (buffer.address - allocation->address) + at,
                  buffer.element_bytes);
      if (!is_nan(bits, buffer.kind)) continue;
      const std::optional<std::uint64_t> writer = last_writer(checkers, buffer.address + at);
      if (writer && (!lowest || *writer < *lowest)) lowest = writer;
    }
  }
  return lowest;
}

std::optional<Finding> origin_of_nan(const simt::Program& program, const simt::Launch& launch,
                                     simt::GlobalMemory& memory, std::uint64_t block,
                                     const TraceOptions& options) {
  NanTracer* tracer = nullptr;
  simt::RunOptions run;
  run.blocks = {block};
  run.host_threads = 1;
  run.warp_order = simt::WarpOrder::side_by_side;
  run.instructions_per_block = most_instructions;
  run.cancelled = options.cancelled;
  run.make_observer = [&]() -> std::unique_ptr<simt::Observer> {
    auto made = std::make_unique<NanTracer>(program);
    tracer = made.get();
    return made;
  };
  const simt::RunResult result = simt::run(program, launch, memory, run);
  return tracer->finding(options.main_file);
}

}  // namespace tilescope
