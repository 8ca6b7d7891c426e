#include "profiler/measure/provenance.hpp"

#include <sys/utsname.h>

#include <fstream>

#include "base/clock.hpp"
#include "profiler/installation.hpp"

namespace tilescope {
namespace {

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

// The kind of machine without its name, since sessions are shared.
std::string host_description() {
  utsname names{};
  if (uname(&names) != 0) return processor_name();
  return std::string(names.sysname) + " " + names.machine + ", " + processor_name();
}

}  // namespace

Provenance begin_provenance(const Experiment& experiment, const std::string& driver_version) {
  static const std::string host = host_description();
  Provenance provenance;
  provenance.tilescope_version = tilescope_version();
  provenance.time_utc = utc_now();
  provenance.driver_version = driver_version;
  provenance.host = host;
  provenance.seed = experiment.seed;
  provenance.compiler = experiment.compiler;
  return provenance;
}

void add_compilation(Provenance& provenance, const CompiledKernel& kernel) {
  provenance.source_sha256 = kernel.source_sha256;
  provenance.binary_key = kernel.key;
  const bool is_nvcc = kernel.compiler == KernelCompiler::nvcc;
  (is_nvcc ? provenance.nvcc_version : provenance.nvrtc_version) = kernel.compiler_version;
  provenance.library_version = kernel.library_version;
  provenance.compile_options = kernel.options;
  provenance.compile_ms = kernel.compile_ms;
  provenance.binary_from_cache = kernel.from_cache;
}

}  // namespace tilescope
