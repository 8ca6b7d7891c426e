#include "profiler/execution/sass/tests/damaged_code/damaged_run.hpp"

#include <cstring>
#include <stdexcept>

#include "profiler/execution/memory/trace.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/issue_model.hpp"
#include "profiler/execution/sass/unsupported.hpp"

namespace tilescope::damaged_code {
namespace {

// Warp instructions of a block.
constexpr std::uint64_t most_instructions = 20'000;
// [B] A larger cubin is not an error, but takes long to load.
constexpr std::uint64_t most_variables = 16 << 20;
constexpr std::uint64_t buffer_bytes = 16 << 10;

// A parameter of 8 bytes is a buffer, every other one a small number.
simt::Launch launch_of(const simt::Program& program, simt::GlobalMemory& memory) {
  simt::Launch launch;
  launch.grid = {2, 1, 1};
  launch.block = {80, 1, 1};
  launch.parameters.resize(program.parameter_bytes);
  for (const simt::KernelParameter& parameter : program.parameters) {
    std::byte* const at = launch.parameters.data() + parameter.offset;
    if (parameter.bytes == sizeof(std::uint64_t)) {
      const std::uint64_t address = memory.allocate("buffer", buffer_bytes, std::byte{3});
      std::memcpy(at, &address, sizeof address);
    } else if (parameter.bytes > 0) {
      *at = std::byte{5};
    }
  }
  return launch;
}

std::uint64_t variable_bytes(const sass::Cubin& cubin) {
  std::uint64_t bytes = 0;
  for (const sass::DataSection& section : cubin.global_sections) {
    if (section.bytes > most_variables) return section.bytes;
    bytes += section.bytes;
  }
  return bytes;
}

DamagedRun run(const simt::Program& program) {
  simt::GlobalMemory memory;
  const simt::Launch launch = launch_of(program, memory);
  TraceOptions options;
  options.check = true;
  options.by_instruction = true;
  options.host_threads = 1;
  options.instructions_per_block = most_instructions;
  const Traced traced = trace(program, launch, memory, options);
  sass::ExecutedCode executed;
  for (const InstructionCounts& one : traced.by_instruction) {
    executed.executions.push_back(one.executions);
    executed.shared_wavefronts.push_back(one.shared_wavefronts);
  }
  sass::issue_load(program, executed);
  if (traced.run.fault) return {End::fault, traced.run.fault->text};
  return {};
}

}  // namespace

std::string_view name_of(End end) {
  constexpr std::array<std::string_view, end_count> names = {"finished",     "fault",       "refused cubin",
                                                             "refused text", "unsupported", "refused launch"};
  return names[static_cast<std::size_t>(end)];
}

DamagedRun run_damaged(const std::vector<char>& file, const std::string& text) {
  try {
    const sass::Cubin cubin = sass::read_cubin(file);
    if (variable_bytes(cubin) > most_variables) return {End::refused_cubin, "its variables are large"};
    return run(sass::build_program(cubin, sass::parse_disassembly(text), cubin.kernels.front().name));
  } catch (const sass::CubinError& error) {
    return {End::refused_cubin, error.what()};
  } catch (const sass::DisassemblyError& error) {
    return {End::refused_text, error.what()};
  } catch (const sass::Unsupported& error) {
    return {End::unsupported, error.what()};
  } catch (const std::invalid_argument& error) {
    return {End::refused_launch, error.what()};
  }
}

DamagedRun damage_and_run(const std::vector<IntactCode>& codes, const Vocabulary& vocabulary,
                          Choices& choices) {
  const IntactCode& code = choices.of(codes);
  switch (choices.below(8)) {
    case 0:
      return run_damaged(damaged_file(code.cubin, choices), code.text);
    case 1:
      return run_damaged(damaged_words(code.cubin, choices), damaged_text(code.text, vocabulary, choices));
    default:
      return run_damaged(code.cubin, damaged_text(code.text, vocabulary, choices));
  }
}

}  // namespace tilescope::damaged_code
