#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/containers/found_code.hpp"

namespace tilescope {

/// cuobjdump was not found: the message says what was looked for, where, and how to get it.
class CuobjdumpUnavailable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Places to look for cuobjdump, in this order.
struct CuobjdumpSearch {
  /// TILESCOPE_CUDA: its folder bin; "" when not set.
  std::filesystem::path toolkit;
  /// The downloaded packages.
  std::filesystem::path dependencies;
  /// PATH
  std::string path;
};

/// Device code as cuobjdump writes it.
struct UnpackedCode {
  FoundCode::Form form = FoundCode::Form::cubin;
  /// "attention.2.sm_89.cubin": its source's name is in it where the compiler stored that.
  std::string name;
  std::string contents;
};

/// The device code of fat binaries.
struct UnpackedCodes {
  /// In their order, the cubins of each run before its PTX.
  std::vector<UnpackedCode> codes;
  /// A sentence for each fat binary of which cuobjdump does not read all.
  std::vector<std::string> problems;
};

/// NVIDIA's program that unpacks fat binaries, which may be compressed. Any thread may call it.
class Cuobjdump {
 public:
  /// The first one that runs. Throws CuobjdumpUnavailable.
  static Cuobjdump find(const CuobjdumpSearch& search);

  const std::filesystem::path& program() const { return program_; }
  /// "13.5.37"
  const std::string& version() const { return version_; }

  /// Throws CodeNotFound where the code takes more than `max_bytes` or too long, and SearchCancelled.
  UnpackedCodes unpack(const std::vector<std::string>& fat_binaries, std::uint64_t max_bytes,
                       const std::function<bool()>& cancelled) const;

 private:
  Cuobjdump(std::filesystem::path program, std::string version)
      : program_(std::move(program)), version_(std::move(version)) {}

  /// `has_repeated_names`: files of one name have overwritten one another.
  UnpackedCodes run(const std::string& fat_binaries, std::uint64_t max_bytes,
                    const std::function<bool()>& cancelled, bool& has_repeated_names) const;

  std::filesystem::path program_;
  std::string version_;
};

}  // namespace tilescope
