#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "profiler/sass/disassembly.hpp"

namespace tilescope::sass {

/// nvdisasm was not found: the message says what was looked for, where, and how to get it.
class NvdisasmUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Where to look for nvdisasm, in this order.
struct NvdisasmSearch {
  /// TILESCOPE_CUDA: its folder bin; "" when not set.
  std::filesystem::path toolkit;
  /// The downloaded packages.
  std::filesystem::path dependencies;
  /// PATH
  std::string path;
};

/// NVIDIA's disassembler, a program that is run for every binary.
class Disassembler {
 public:
  /// The first one that runs. Throws NvdisasmUnavailable.
  static Disassembler find(const NvdisasmSearch& search);

  const std::filesystem::path& program() const { return program_; }
  /// "13.5.37"
  const std::string& version() const { return version_; }

  /// nvdisasm's text of a binary, for parse_disassembly. Throws DisassemblyError when nvdisasm does not know the binary.
  std::string print(const std::vector<char>& cubin) const;
  /// The same, parsed. Throws DisassemblyError also for text that is not understood.
  Disassembly disassemble(const std::vector<char>& cubin) const { return parse_disassembly(print(cubin)); }

 private:
  Disassembler(std::filesystem::path program, std::string version)
      : program_(std::move(program)), version_(std::move(version)) {}

  std::filesystem::path program_;
  std::string version_;
};

}  // namespace tilescope::sass
