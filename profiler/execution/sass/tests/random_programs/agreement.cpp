#include "profiler/execution/sass/tests/random_programs/agreement.hpp"

#include <fmt/format.h>

#include <cstring>
#include <span>
#include <stdexcept>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/simt/interpreter.hpp"

namespace tilescope::random_programs {
namespace {

// Warp instructions of a block after which a kernel is not worth its time.
constexpr std::uint64_t most_instructions = 2'000'000;

struct Run {
  std::vector<std::uint32_t> output;
  /// The sentence of a fault, "" for none.
  std::string fault;
  bool is_too_long = false;
};

Run run(const simt::Program& program, const std::vector<std::uint32_t>& input) {
  simt::GlobalMemory memory;
  std::uint64_t addresses[2] = {memory.allocate("in", input_words * 4),
                                memory.allocate("out", output_words * 4)};
  std::memcpy(memory.find(addresses[0], input_words * 4)->data, input.data(), input_words * 4);
  simt::Launch launch;
  launch.grid = {grid_blocks, 1, 1};
  launch.block = {block_threads, 1, 1};
  const auto parameters = std::as_bytes(std::span(addresses));
  launch.parameters.assign(parameters.begin(), parameters.end());
  simt::RunOptions options;
  options.host_threads = 1;
  options.instructions_per_block = most_instructions;
  const simt::RunResult result = simt::run(program, launch, memory, options);
  Run run;
  if (result.fault) run.fault = result.fault->text;
  run.is_too_long = result.warp_instructions >= most_instructions;
  run.output.resize(output_words);
  std::memcpy(run.output.data(), memory.find(addresses[1], output_words * 4)->data, output_words * 4);
  return run;
}

// Where the outputs differ first; "" for nowhere.
std::string difference(const Run& ptx, const Run& machine_code) {
  if (!ptx.fault.empty()) return "PTX: " + ptx.fault;
  if (!machine_code.fault.empty()) return "machine code: " + machine_code.fault;
  constexpr std::uint32_t of_threads = output_words - counter_words;
  for (std::uint32_t i = 0; i < output_words; ++i) {
    if (ptx.output[i] == machine_code.output[i]) continue;
    const std::string where =
        i < of_threads ? fmt::format("word {} of thread {}", i % words_of_thread, i / words_of_thread)
                       : fmt::format("counter {}", i - of_threads);
    return fmt::format("{}: PTX {:#010x}, machine code {:#010x}", where, ptx.output[i],
                       machine_code.output[i]);
  }
  return "";
}

}  // namespace

Agreement agreement(const RandomProgram& program, std::uint64_t seed, const std::string& architecture,
                    const Nvrtc& nvrtc, const sass::Disassembler& nvdisasm) {
  Agreement found;
  // Multiplications and additions stay apart: ptxas would join others than the interpreter of PTX.
  const CompilerOutput compiled =
      nvrtc.compile("random.cu", program.source, {},
                    {"--gpu-architecture=" + architecture, "--std=c++17", "--fmad=false", "-lineinfo"});
  const ptx::Module parsed = ptx::parse(compiled.ptx);
  const sass::Cubin cubin = sass::read_cubin(compiled.cubin);
  const sass::Disassembly disassembly = nvdisasm.disassemble(compiled.cubin);
  const std::vector<std::uint32_t> input = random_input(seed);
  for (const std::string& entry : program.entries) {
    std::string what;
    try {
      const Run by_ptx = run(ptx::build_program(parsed, entry), input);
      const Run by_machine_code = run(sass::build_program(cubin, disassembly, entry), input);
      if (by_ptx.is_too_long || by_machine_code.is_too_long) {
        ++found.skipped;
        continue;
      }
      what = difference(by_ptx, by_machine_code);
      ++found.compared;
    } catch (const std::runtime_error& error) {
      what = error.what();
    }
    if (!what.empty())
      found.differences.push_back(fmt::format("seed {} {} {}: {}", seed, architecture, entry, what));
  }
  return found;
}

}  // namespace tilescope::random_programs
