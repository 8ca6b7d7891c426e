#include "profiler/execution/ptx/tests/hardware/interpreter_run.hpp"

#include <cstring>
#include <filesystem>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"

namespace tilescope::hardware {

Interpreted interpret(const Case& one, const std::string& ptx, bool check) {
  const ptx::Module module = ptx::parse(ptx);
  const simt::Program program = ptx::build_program(module, one.kernel.entry);

  Interpreted result;
  simt::GlobalMemory memory;
  std::vector<std::uint64_t> addresses;
  for (const Buffer& buffer : one.buffers) result.buffers.push_back(buffer.initial());
  for (std::size_t i = 0; i < one.buffers.size(); ++i) {
    std::vector<std::byte>& bytes = result.buffers[i];
    addresses.push_back(
        memory.attach(one.buffers[i].name, bytes.data(), bytes.size(), !one.buffers[i].is_output));
  }
  simt::Launch launch = one.launch;
  for (const Case::Pointer& pointer : one.pointers) {
    std::memcpy(launch.parameters.data() + pointer.offset, &addresses[pointer.buffer], sizeof(std::uint64_t));
  }
  TraceOptions options;
  options.check = check;
  options.main_file = std::filesystem::path(one.kernel.file).filename().string();
  result.traced = trace(program, launch, memory, options);
  return result;
}

std::map<std::string, OperationCost> cost_by_operation(const MemoryCounts& memory) {
  std::map<std::string, OperationCost> costs;
  for (const MemorySite& site : memory.sites) {
    OperationCost& cost = costs[site.operation];
    cost.executions += site.executions;
    cost.wavefronts += site.wavefronts;
    cost.minimum += site.minimum;
  }
  return costs;
}

}  // namespace tilescope::hardware
