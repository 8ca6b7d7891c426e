#include "profiler/execution/memory/composite_observer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profiler/execution/memory/tests/ptx_kernel.hpp"
#include "profiler/execution/simt/interpreter.hpp"

namespace tilescope {
namespace {

// Every event of a kernel in which each kind but faults and divergence occurs, in its order.
class EventLog : public simt::Observer {
 public:
  explicit EventLog(std::vector<std::string>& events) : events_(events) {}

  bool wants_basic_blocks() const override { return true; }
  void begin_block(const simt::Block&) override { events_.emplace_back("begin"); }
  void basic_block(const simt::Warp&, std::uint32_t number) override {
    events_.push_back("basic block " + std::to_string(number));
  }
  void access(const simt::Warp&, const simt::MemoryAccess&) override { events_.emplace_back("access"); }
  void barrier_arrival(const simt::Warp&, int, simt::LaneMask) override { events_.emplace_back("arrival"); }
  void block_barrier(const simt::Block&, int, std::span<const simt::LaneMask>,
                     std::span<const simt::LaneMask>) override {
    events_.emplace_back("block barrier");
  }
  void warp_barrier(const simt::Warp&, simt::LaneMask) override { events_.emplace_back("warp barrier"); }
  void probe(const simt::Warp&, const simt::Probe& probe) override {
    events_.push_back("probe " + std::string(probe.name));
  }
  void end_block(const simt::Block&) override { events_.emplace_back("end"); }

 private:
  std::vector<std::string>& events_;
};

std::vector<std::string> run(const simt::Program& program, std::unique_ptr<simt::Observer> observer,
                             const std::vector<std::string>& events) {
  simt::GlobalMemory memory;
  const std::uint64_t out = memory.allocate("out", 4096);
  simt::Launch launch;
  launch.block.x = 64;
  launch.parameters.resize(sizeof out);
  std::memcpy(launch.parameters.data(), &out, sizeof out);
  simt::RunOptions options;
  options.make_observer = [&observer] { return std::move(observer); };
  options.host_threads = 1;
  simt::run(program, launch, memory, options);
  return events;
}

TEST(CompositeObserver, ForwardsEveryCallToEachObserver) {
  const simt::Program program = program_of(R"(
  st.shared.u32 [%r3], %r1;
  bar.sync 0;
  bar.warp.sync 0xffffffff;
  cvt.rn.f32.u32 %f1, %r1;
  // tilescope.probe.m %r1, %f1;
  st.global.u32 [%rd1], %r1;
)");
  std::vector<std::string> alone, first, second;
  run(program, std::make_unique<EventLog>(alone), alone);
  std::vector<std::unique_ptr<simt::Observer>> both;
  both.push_back(std::make_unique<EventLog>(first));
  both.push_back(std::make_unique<EventLog>(second));
  run(program, std::make_unique<CompositeObserver>(std::move(both)), first);
  EXPECT_EQ(first, alone);
  EXPECT_EQ(second, alone);
  for (const char* event :
       {"begin", "basic block 0", "access", "arrival", "block barrier", "warp barrier", "probe m", "end"}) {
    EXPECT_NE(std::ranges::find(alone, event), alone.end()) << event;
  }
}

}  // namespace
}  // namespace tilescope
