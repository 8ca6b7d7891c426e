#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/simt/interpreter.hpp"

/// Runs a few instructions of PTX as the body of a kernel, for tests of memory and matrices.
namespace tilescope::ptx {

/// In the body: `%in` and `%out` are the addresses of the input and the output, `%t` the thread, `smem` 8192 bytes of
/// shared and `stack` 64 bytes of local memory; %p, %h, %r, %rd, %f and %fd are registers to use, 64 of each.
struct MemorySnippet {
  std::string body;
  std::vector<std::byte> input;
  std::size_t output_bytes = 0;
  std::uint32_t threads = 32;
  /// The initial contents of the output.
  std::byte fill{0xcd};
  bool input_is_read_only = true;
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint64_t schedule_seed = 0;
  std::function<std::unique_ptr<Observer>()> make_observer;

  std::string text() const {
    return ".version 8.0\n.target sm_90\n.address_size 64\n"
           ".const .align 16 .b32 table[4] = {10, 20, 30, 40};\n"
           ".visible .entry test(.param .u64 in, .param .u64 out, .param .align 16 .b8 bytes[32])\n{\n"
           ".shared .align 128 .b8 smem[8192];\n.local .align 16 .b8 stack[64];\n"
           ".reg .pred %p<64>; .reg .b16 %h<64>; .reg .b32 %r<64>; .reg .b64 %rd<64>; .reg .f32 %f<64>;\n"
           ".reg .f64 %fd<64>; .reg .b64 %in; .reg .b64 %out; .reg .b32 %t;\n"
           "ld.param.u64 %in, [in];\nld.param.u64 %out, [out];\nmov.u32 %t, %tid.x;\n" +
           body + "\nret;\n}\n";
  }

  struct Ran {
    RunResult result;
    std::vector<std::byte> output, input;

    template <class T>
    T at(std::size_t index) const {
      T value;
      std::memcpy(&value, output.data() + index * sizeof(T), sizeof(T));
      return value;
    }
  };

  Ran run() const {
    const Program program = build_program(parse(text()), "test");
    GlobalMemory memory;
    Ran ran;
    ran.input = input;
    ran.input.resize(std::max<std::size_t>(input.size(), 1));
    const std::uint64_t in = memory.attach("in", ran.input.data(), ran.input.size(), input_is_read_only);
    const std::uint64_t out = memory.allocate("out", output_bytes, fill);
    Launch launch;
    launch.block.x = threads;
    launch.dynamic_shared_bytes = dynamic_shared_bytes;
    launch.parameters.resize(48);
    std::memcpy(launch.parameters.data(), &in, sizeof in);
    std::memcpy(launch.parameters.data() + 8, &out, sizeof out);
    for (std::size_t i = 0; i < 32; ++i) launch.parameters[16 + i] = static_cast<std::byte>(0x70 + 5 * i);
    RunOptions options;
    options.host_threads = 1;
    options.instructions_per_block = 1'000'000;
    options.make_observer = make_observer;
    options.schedule_seed = schedule_seed;
    ran.result = simt::run(program, launch, memory, options);
    const Allocation* allocation = memory.find(out, output_bytes);
    ran.output.assign(allocation->data, allocation->data + output_bytes);
    return ran;
  }
};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

}  // namespace tilescope::ptx
