#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiler/execution/sass/disassembly.hpp"
#include "profiler/execution/sass/disassembly_server.hpp"

namespace tilescope::sass {

/// nvdisasm was not found: the message says what was looked for, where, and how to get it.
class NvdisasmUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Places to look for nvdisasm, in this order.
struct NvdisasmSearch {
  /// TILESCOPE_CUDA: its folder bin; "" when not set.
  std::filesystem::path toolkit;
  /// The downloaded packages.
  std::filesystem::path dependencies;
  /// PATH
  std::string path;
};

/// How long nvdisasm may take for a binary. Damaged ones keep it busy without an end.
struct NvdisasmLimits {
  /// The time for a server, which is then given up.
  std::chrono::milliseconds server = DisassemblyServer::time_limit;
  /// The time for a process that disassembles one binary.
  std::chrono::milliseconds run{30'000};
};

/// NVIDIA's disassembler, a program. Any thread may call it.
class Disassembler {
 public:
  /// The first one that runs. Throws NvdisasmUnavailable.
  static Disassembler find(const NvdisasmSearch& search, const NvdisasmLimits& limits = {});

  const std::filesystem::path& program() const { return program_; }
  /// "13.5.37"
  const std::string& version() const { return version_; }

  /// Starts a server for the binaries of this architecture ("sm_89"): print() takes an eighth of the time once it is
  /// ready, after 0.2 s. Returns at once.
  void prepare(const std::string& architecture) const { servers_->prepare(architecture); }
  /// nvdisasm's text of a binary, for parse_disassembly, of a server where one can say the same. Throws DisassemblyError
  /// when nvdisasm does not know the binary.
  std::string print(const std::vector<char>& cubin) const;
  /// The text of a run of its own, with nvdisasm's remarks.
  std::string print_alone(const std::vector<char>& cubin) const;
  /// The text of a server. Nothing where that would not say the same, or no server could be started.
  std::optional<std::string> print_served(const std::vector<char>& cubin) const;
  /// Prints and parses the cubin's code. Throws DisassemblyError also for text that is not understood.
  Disassembly disassemble(const std::vector<char>& cubin) const { return parse_disassembly(print(cubin)); }

 private:
  Disassembler(std::filesystem::path program, std::string version, const NvdisasmLimits& limits);

  std::filesystem::path program_;
  std::string version_;
  NvdisasmLimits limits_;
  /// Shared by all of this process that have the same program.
  std::shared_ptr<DisassemblyServers> servers_;
};

}  // namespace tilescope::sass
