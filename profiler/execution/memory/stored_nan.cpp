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

// Whether any word has more than `infinity` in the bits of `magnitude`. Without a branch for each word, several are looked
// at together.
template <class Word>
bool any_above(std::span<const std::byte> bytes, Word magnitude, Word infinity) {
  bool any = false;
  for (std::size_t at = 0; at + sizeof(Word) <= bytes.size(); at += sizeof(Word)) {
    Word word;
    std::memcpy(&word, bytes.data() + at, sizeof(Word));
    any |= static_cast<Word>(word & magnitude) > infinity;
  }
  return any;
}

// False only where no element is a NaN.
bool may_have_nan(std::span<const std::byte> bytes, FloatKind kind) {
  switch (kind) {
    case FloatKind::f16:
    case FloatKind::f16x2:
      return any_above<std::uint16_t>(bytes, 0x7fff, 0x7c00);
    case FloatKind::bf16:
    case FloatKind::bf16x2:
      return any_above<std::uint16_t>(bytes, 0x7fff, 0x7f80);
    case FloatKind::f32:
      return any_above<std::uint32_t>(bytes, 0x7fffffff, 0x7f800000);
    default:
      return true;
  }
}

}  // namespace

std::optional<std::uint64_t> block_that_stored_nan(std::span<const GlobalChecker* const> checkers,
                                                   std::span<const GivenBuffer> buffers,
                                                   const simt::GlobalMemory& memory) {
  std::optional<std::uint64_t> lowest;
  for (const GivenBuffer& buffer : buffers) {
    const simt::Allocation* allocation = memory.find(buffer.address, buffer.bytes);
    if (buffer.kind == FloatKind::none || allocation == nullptr) continue;
    const bool is_dense = static_cast<int>(buffer.element_bytes) == bytes_of(buffer.kind);
    const std::byte* const data = allocation->data + (buffer.address - allocation->address);
    if (is_dense && !may_have_nan({data, buffer.bytes}, buffer.kind)) continue;
    for (std::uint64_t at = 0; at + buffer.element_bytes <= buffer.bytes; at += buffer.element_bytes) {
      std::uint64_t bits = 0;
      std::memcpy(&bits, data + at, buffer.element_bytes);
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
