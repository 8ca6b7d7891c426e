#include "profiler/execution/simt/interpreter.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include "profiler/execution/simt/block_runner.hpp"
#include "profiler/execution/simt/launch_limits.hpp"

namespace tilescope::simt {
namespace {

void place_variables(const Program& program, GlobalMemory& memory) {
  for (const GlobalVariable& variable : program.variables) {
    if (variable.initial.empty() || memory.find(variable.address, variable.initial.size()) != nullptr)
      continue;
    memory.place(variable.name, variable.address, variable.initial, variable.is_constant);
  }
  constexpr std::size_t bank_of_variables = 3;
  if (program.constant_banks.size() <= bank_of_variables) return;
  const std::vector<std::byte>& constants = program.constant_banks[bank_of_variables];
  if (!constants.empty() && memory.find(constant_memory_base, constants.size()) == nullptr)
    memory.place("__constant__", constant_memory_base, constants, true);
}

// Hands out the blocks of a run in order. After a fault no later block is started.
class Queue {
 public:
  explicit Queue(std::uint64_t count) : end_(count) {}
  std::optional<std::uint64_t> next() {
    const std::uint64_t position = next_.fetch_add(1);
    if (position >= end_.load()) return std::nullopt;
    return position;
  }
  void stop_behind(std::uint64_t position) {
    std::uint64_t end = end_.load();
    while (position + 1 < end && !end_.compare_exchange_weak(end, position + 1)) {
    }
  }

 private:
  std::atomic<std::uint64_t> next_ = 0;
  std::atomic<std::uint64_t> end_;
};

// Merges the results of the host threads.
class Collected {
 public:
  Collected(RunResult& result) : result_(result) {}

  void add_fault(std::uint64_t position, Fault fault) {
    const std::lock_guard lock(mutex_);
    if (position >= fault_position_) return;
    fault_position_ = position;
    result_.fault = std::move(fault);
  }
  void add_counts(const BlockCounts& counts, std::uint64_t blocks) {
    const std::lock_guard lock(mutex_);
    for (std::size_t b = 0; b < counts.executions.size(); ++b) {
      result_.block_executions[b] += counts.executions[b];
      result_.block_lanes[b] += counts.lanes[b];
    }
    for (std::size_t i = 0; i < counts.guarded_lanes.size(); ++i) {
      result_.guarded_lanes[i] += counts.guarded_lanes[i];
    }
    result_.barriers += counts.barriers;
    result_.blocks_run += blocks;
  }
  void add_printed(const PrintLog& log) {
    const std::lock_guard lock(mutex_);
    result_.printed.insert(result_.printed.end(), log.texts().begin(), log.texts().end());
    result_.printed_too_much += log.dropped();
  }
  void cancel() {
    const std::lock_guard lock(mutex_);
    result_.cancelled = true;
  }
  void add_failure(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
  }
  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  RunResult& result_;
  std::mutex mutex_;
  std::uint64_t fault_position_ = UINT64_MAX;
  std::exception_ptr failure_;
};

struct Work {
  const Program& program;
  const Launch& launch;
  GlobalMemory& memory;
  const RunOptions& options;
  Queue& queue;
  Collected& collected;
};

void run_blocks(const Work& work, Observer* observer) {
  try {
    BlockRunner runner(work.program, work.launch, work.memory, work.options, observer);
    std::uint64_t blocks = 0;
    try {
      while (const auto position = work.queue.next()) {
        const std::uint64_t index = work.options.blocks ? (*work.options.blocks)[*position] : *position;
        if (work.options.cancelled && work.options.cancelled()) throw RunCancelled{};
        ++blocks;
        if (auto fault = runner.run(index)) {
          work.queue.stop_behind(*position);
          work.collected.add_fault(*position, std::move(*fault));
        }
      }
    } catch (const RunCancelled&) {
      work.queue.stop_behind(0);
      work.collected.cancel();
    }
    work.collected.add_counts(runner.counts(), blocks);
    work.collected.add_printed(runner.printed());
  } catch (...) {
    work.queue.stop_behind(0);
    work.collected.add_failure(std::current_exception());
  }
}

int host_threads(const Program& program, const RunOptions& options, std::uint64_t blocks) {
  if (program.has_global_atomics || program.prints) return 1;
  const int wanted =
      options.host_threads > 0 ? options.host_threads : static_cast<int>(std::thread::hardware_concurrency());
  return static_cast<int>(std::clamp<std::uint64_t>(static_cast<std::uint64_t>(std::max(wanted, 1)), 1,
                                                    std::max<std::uint64_t>(blocks, 1)));
}

}  // namespace

void prepare_launch(const Program& program, const Launch& launch, GlobalMemory& memory) {
  check_launch(program, launch);
  place_variables(program, memory);
}

RunResult run(const Program& program, const Launch& launch, GlobalMemory& memory, const RunOptions& options) {
  prepare_launch(program, launch, memory);
  const std::uint64_t blocks = options.blocks ? options.blocks->size() : launch.grid.count();
  if (options.blocks) {
    for (const std::uint64_t index : *options.blocks) {
      if (index >= launch.grid.count()) {
        throw std::invalid_argument("block " + std::to_string(index) + " is not in a grid of " +
                                    std::to_string(launch.grid.count()));
      }
    }
  }
  RunResult result;
  result.block_executions.assign(program.blocks.size(), 0);
  result.block_lanes.assign(program.blocks.size(), 0);
  result.guarded_lanes.assign(program.code.size(), 0);
  Queue queue(blocks);
  Collected collected(result);
  const Work work{program, launch, memory, options, queue, collected};
  const auto start = std::chrono::steady_clock::now();
  {
    const int count = host_threads(program, options, blocks);
    if (options.make_observer) {
      for (int i = 0; i < count; ++i) result.observers.push_back(options.make_observer());
    }
    const auto observer = [&](int i) {
      return result.observers.empty() ? nullptr : result.observers[static_cast<std::size_t>(i)].get();
    };
    std::vector<std::jthread> helpers;
    for (int i = 1; i < count; ++i)
      helpers.emplace_back([&work, seen = observer(i)] { run_blocks(work, seen); });
    run_blocks(work, observer(0));
  }
  collected.rethrow();
  std::ranges::stable_sort(result.printed, {},
                           [](const PrintedText& text) { return std::pair(text.linear_block, text.thread); });
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    result.warp_instructions += result.block_executions[b] * program.blocks[b].issued();
    result.lane_instructions += result.block_lanes[b] * program.blocks[b].issued();
  }
  return result;
}

std::vector<std::uint64_t> instructions_by_pipe(const Program& program, const RunResult& result) {
  std::vector<std::uint64_t> pipes(pipe_count, 0);
  for (std::size_t b = 0; b < program.blocks.size(); ++b) {
    const BasicBlock& block = program.blocks[b];
    for (std::uint32_t i = 1; i <= block.instructions; ++i) {
      if (program.code[block.first + i].flow == Flow::probe) continue;
      const Origin& origin = program.origins[program.code[block.first + i].origin];
      pipes[static_cast<std::size_t>(origin.pipe)] += result.block_executions[b];
    }
  }
  return pipes;
}

}  // namespace tilescope::simt
