#include "profiler/execution/memory/last_writers.hpp"

#include <algorithm>
#include <bit>
#include <memory>

#include "profiler/execution/memory/global_sites.hpp"
#include "profiler/execution/memory/memory_checker.hpp"

namespace tilescope {
namespace {

using simt::Access;

std::vector<BufferWriters> unwritten(const std::vector<WatchedBuffer>& buffers) {
  std::vector<BufferWriters> writers(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    writers[i].writers.resize(buffers[i].elements.size());
    writers[i].is_written.resize(buffers[i].bytes / buffers[i].element_bytes);
  }
  return writers;
}

// The writers in the blocks of one host thread, in the order of the accesses.
class WriteWatch : public simt::Observer {
 public:
  WriteWatch(const std::vector<WatchedBuffer>& buffers, bool continues_after_faults)
      : buffers_(buffers), found_(unwritten(buffers)), continues_after_faults_(continues_after_faults) {}

  void access(const simt::Warp& warp, const simt::MemoryAccess& access) override {
    if (access.space != simt::Space::global) return;
    if (access.access != Access::store && access.access != Access::matrix_store && !is_atomic(access.access))
      return;
    for (simt::LaneMask rest = access.lanes; rest != 0; rest &= rest - 1) {
      const int lane = std::countr_zero(rest);
      for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const std::uint64_t address = access.addresses[lane];
        if (address - buffers_[i].address < buffers_[i].bytes) note(warp, access, lane, i);
      }
    }
  }
  bool fault(const simt::Fault& fault) override {
    return continues_after_faults_ && MemoryChecker::continues_after(fault.kind);
  }

  const std::vector<BufferWriters>& found() const { return found_; }

 private:
  void note(const simt::Warp& warp, const simt::MemoryAccess& access, int lane, std::size_t number) {
    const WatchedBuffer& buffer = buffers_[number];
    BufferWriters& found = found_[number];
    const std::uint64_t from = access.addresses[lane] - buffer.address;
    const std::uint64_t first = from / buffer.element_bytes;
    const std::uint64_t last = std::min((from + access.lane_bytes - 1) / buffer.element_bytes,
                                        std::uint64_t{found.is_written.size()} - 1);
    for (std::uint64_t element = first; element <= last; ++element) found.is_written[element] = true;
    if (is_atomic(access.access)) found.has_atomics = true;
    for (std::size_t i = 0; i < buffer.elements.size(); ++i) {
      if (buffer.elements[i] >= first && buffer.elements[i] <= last)
        keep(found.writers[i], warp, access, lane);
    }
  }

  static void keep(std::optional<LastWriter>& writer, const simt::Warp& warp,
                   const simt::MemoryAccess& access, int lane) {
    const simt::Block& block = warp.block();
    std::uint64_t blocks = 1;
    if (writer) blocks = writer->blocks + (writer->linear_block != block.linear_index ? 1 : 0);
    writer = LastWriter{access.instruction->origin,
                        block.linear_index,
                        {block.index.x, block.index.y, block.index.z},
                        warp.first_thread() + static_cast<std::uint32_t>(lane),
                        is_atomic(access.access),
                        blocks};
  }

  const std::vector<WatchedBuffer>& buffers_;
  std::vector<BufferWriters> found_;
  bool continues_after_faults_;
};

void add(std::vector<BufferWriters>& all, const std::vector<BufferWriters>& found) {
  for (std::size_t b = 0; b < all.size(); ++b) {
    all[b].has_atomics = all[b].has_atomics || found[b].has_atomics;
    for (std::size_t i = 0; i < found[b].is_written.size(); ++i)
      if (found[b].is_written[i]) all[b].is_written[i] = true;
    for (std::size_t i = 0; i < found[b].writers.size(); ++i) {
      const std::optional<LastWriter>& other = found[b].writers[i];
      std::optional<LastWriter>& writer = all[b].writers[i];
      if (!other) continue;
      const std::uint64_t blocks = other->blocks + (writer ? writer->blocks : 0);
      if (!writer || other->linear_block > writer->linear_block) writer = other;
      writer->blocks = blocks;
    }
  }
}

}  // namespace

WatchedRun run_watched(const simt::Program& program, const simt::Launch& launch, simt::GlobalMemory& memory,
                       const std::vector<WatchedBuffer>& buffers, const TraceOptions& options) {
  std::vector<const WriteWatch*> watches;
  simt::RunOptions run;
  run.host_threads = GlobalSites::orders_blocks(program) ? 1 : options.host_threads;
  run.instructions_per_block = options.instructions_per_block;
  run.schedule_seed = options.schedule_seed;
  run.cancelled = options.cancelled;
  if (!options.blocks.empty()) {
    run.blocks.emplace();
    for (const SampledBlock& block : options.blocks) run.blocks->push_back(block.index);
  }
  run.make_observer = [&]() -> std::unique_ptr<simt::Observer> {
    auto watch = std::make_unique<WriteWatch>(buffers, options.check);
    watches.push_back(watch.get());
    return watch;
  };
  WatchedRun watched{simt::run(program, launch, memory, run), unwritten(buffers)};
  for (const WriteWatch* watch : watches) add(watched.buffers, watch->found());
  return watched;
}

std::optional<std::vector<BufferWriters>> find_last_writers(const simt::Program& program,
                                                            const simt::Launch& launch,
                                                            simt::GlobalMemory& memory,
                                                            const std::vector<WatchedBuffer>& buffers,
                                                            const TraceOptions& options) {
  WatchedRun watched = run_watched(program, launch, memory, buffers, options);
  if (watched.result.cancelled) return std::nullopt;
  return std::move(watched.buffers);
}

}  // namespace tilescope
