#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"

namespace tilescope {

/// A kernel `k(.param .u64 out)` around `body`. %r1 is the thread, %r2 the address of the 4 KiB of shared memory
/// `tile`, %r3 the address of the thread's own word in it, %rd1 `out`. The registers %r, %rd, %f, %rs and %p 0 to 63
/// are declared. `at(12)` in the body puts what follows on line 12 of kernel.cu.
inline simt::Program program_of(const std::string& body, const std::string& shared = "tile[4096]") {
  std::string text = R"(
.version 8.0
.target sm_89
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .pred %p<64>;
  .reg .b16 %rs<64>;
  .reg .b32 %r<64>;
  .reg .f32 %f<64>;
  .reg .b64 %rd<64>;
  .shared .align 16 .b8 )" +
                     shared + R"(;
  .loc 1 5 0
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mov.u32 %r2, tile;
  shl.b32 %r3, %r1, 2;
  add.s32 %r3, %r3, %r2;
)" + body + R"(
  .loc 1 99 0
  ret;
}
.file 1 "/somewhere/kernel.cu"
)";
  for (std::size_t at = 0; (at = text.find("at(", at)) != std::string::npos;) {
    const std::size_t end = text.find(')', at);
    text.replace(at, end + 1 - at, ".loc 1 " + text.substr(at + 3, end - at - 3) + " 0");
  }
  return ptx::build_program(ptx::parse(std::move(text)), "k");
}

struct KernelRun {
  std::uint32_t threads = 64;
  std::uint32_t blocks = 1;
  TraceOptions options = {};
};

/// Runs it with 64 KiB of zeros as `out`.
inline Traced trace_kernel(const simt::Program& program, KernelRun run) {
  simt::GlobalMemory memory;
  const std::uint64_t out = memory.allocate("out", 65536);
  simt::Launch launch;
  launch.grid.x = run.blocks;
  launch.block.x = run.threads;
  launch.parameters.resize(sizeof(out));
  std::memcpy(launch.parameters.data(), &out, sizeof(out));
  run.options.main_file = "kernel.cu";
  return trace(program, launch, memory, run.options);
}

}  // namespace tilescope
