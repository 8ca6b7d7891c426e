#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/simt/interpreter.hpp"

/// A whole module of PTX with a kernel `test`, whose one parameter is the address of 32-bit words, one a thread.
namespace tilescope::ptx {

inline Program decode_module(const std::string& functions, const std::string& kernel,
                             const std::string& head = ".version 8.0\n.target sm_80\n") {
  return build_program(
      parse(head + ".address_size 64\n" + functions +
            "\n.visible .entry test(.param .u64 out)\n{\n"
            ".reg .pred %p<9>; .reg .b32 %r<30>; .reg .b32 %t; .reg .b64 %o; .reg .b64 %rd<9>;\n"
            "ld.param.u64 %o, [out];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %rd0, %t, 4;\n"
            "add.u64 %o, %o, %rd0;\n" +
            kernel + "\nret;\n}\n"),
      "test");
}

struct KernelRun {
  RunResult result;
  std::vector<std::uint32_t> out;
};

inline KernelRun run_module(const Program& program, std::uint32_t threads = 32, std::uint64_t seed = 0) {
  GlobalMemory memory;
  Launch launch;
  launch.block.x = threads;
  const std::uint64_t address = memory.allocate("out", std::uint64_t{4} * threads, std::byte{0xee});
  launch.parameters.resize(sizeof address);
  std::memcpy(launch.parameters.data(), &address, sizeof address);
  RunOptions options;
  options.schedule_seed = seed;
  options.instructions_per_block = 10'000'000;
  KernelRun ran{run(program, launch, memory, options), std::vector<std::uint32_t>(threads)};
  std::memcpy(ran.out.data(), memory.find(address, 4)->data, std::size_t{4} * threads);
  return ran;
}

}  // namespace tilescope::ptx
