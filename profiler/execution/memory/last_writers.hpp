#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "profiler/execution/memory/trace.hpp"

namespace tilescope {

/// A buffer whose writers are looked for.
struct WatchedBuffer {
  std::uint64_t address = 0;
  /// [B]
  std::uint64_t bytes = 0, element_bytes = 4;
  /// Indices of the elements whose last writer is to be named.
  std::vector<std::uint64_t> elements;
};

/// The access that wrote any byte of an element last.
struct LastWriter {
  /// Into Program::origins.
  std::uint32_t origin = simt::no_index;
  std::uint64_t linear_block = 0;
  std::array<std::uint32_t, 3> block{};
  /// Linear in its block.
  std::uint32_t thread = 0;
  /// A read-modify-write, which may have left the value as it was.
  bool is_atomic = false;
  /// Blocks that wrote the element. Where there are several and nothing orders them, this is the one of them that comes
  /// last in the grid.
  std::uint64_t blocks = 1;
};

struct BufferWriters {
  /// For each of WatchedBuffer::elements; none for one that nothing wrote.
  std::vector<std::optional<LastWriter>> writers;
  /// By element: whether anything wrote it.
  std::vector<bool> is_written;
  /// Some of it was written by atomics, whose values several blocks may make together.
  bool has_atomics = false;
};

struct WatchedRun {
  simt::RunResult result;
  /// In the order of the watched buffers; what was written until the run ended.
  std::vector<BufferWriters> buffers;
};

/// Runs a launch and watches the buffers.
WatchedRun run_watched(const simt::Program& program, const simt::Launch& launch, simt::GlobalMemory& memory,
                       const std::vector<WatchedBuffer>& buffers, const TraceOptions& options);

/// Runs a launch again, in memory as it was before, and watches the buffers. `options`: the first run's. None where
/// the run was cancelled.
std::optional<std::vector<BufferWriters>> find_last_writers(const simt::Program& program,
                                                            const simt::Launch& launch,
                                                            simt::GlobalMemory& memory,
                                                            const std::vector<WatchedBuffer>& buffers,
                                                            const TraceOptions& options);

}  // namespace tilescope
