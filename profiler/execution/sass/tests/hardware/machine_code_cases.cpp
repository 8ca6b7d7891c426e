#include "profiler/execution/sass/tests/hardware/machine_code_cases.hpp"

#include <cstdlib>
#include <iterator>
#include <set>
#include <stdexcept>

namespace tilescope::hardware {
namespace {

std::vector<MachineCodeCase> ptx_cases(const std::filesystem::path& root) {
  std::vector<MachineCodeCase> cases;
  for (Case& one : all_cases(root)) {
    KernelText kernel = one.kernel;
    kernel.arch = recorded_arch;
    cases.push_back({std::move(one), [root, kernel](const Compiler& compiler) {
                       return compiler.compile_file(root / kernel.file, kernel.entry, kernel.macros,
                                                    kernel.arch);
                     }});
  }
  return cases;
}

}  // namespace

const std::string recorded_arch = "sm_90a";

std::vector<MachineCodeCase> machine_code_cases(const Installation& installation) {
  std::vector<MachineCodeCase> cases = catalogue_cases(installation);
  std::vector<MachineCodeCase> others = ptx_cases(installation.root);
  std::move(others.begin(), others.end(), std::back_inserter(cases));
  std::set<std::string> names;
  for (const MachineCodeCase& one : cases) {
    if (!names.insert(one.launch.name).second)
      throw std::logic_error("two launches are named '" + one.launch.name + "'");
  }
  return cases;
}

Compiler open_compiler(const Installation& installation) {
  const char* toolkit = std::getenv("TILESCOPE_CUDA");
  return Compiler(Nvrtc::open({.toolkit = toolkit != nullptr ? toolkit : "",
                               .dependencies = installation.dependencies,
                               .driver_cuda = {}}),
                  {installation.kernels, installation.cache, installation.dependencies});
}

MachineCodeLaunch prepare(const MachineCodeCase& one, const Compiler& compiler) {
  const Case& from = one.launch;
  MachineCodeLaunch launch;
  launch.name = from.name;
  launch.cubin = one.compile(compiler).cubin;
  launch.entry = from.kernel.entry;
  launch.grid = {from.launch.grid.x, from.launch.grid.y, from.launch.grid.z};
  launch.block = {from.launch.block.x, from.launch.block.y, from.launch.block.z};
  launch.dynamic_shared_bytes = from.launch.dynamic_shared_bytes;
  launch.parameters = from.launch.parameters;
  for (const Case::Pointer& pointer : from.pointers)
    launch.pointers.push_back({pointer.offset, pointer.buffer});
  for (const Buffer& buffer : from.buffers)
    launch.buffers.push_back({buffer.name, buffer.initial(), buffer.is_output});
  return launch;
}

}  // namespace tilescope::hardware
