#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"

/// Counts and outputs of a GPU for the launches (h200_machine_code.json, h200_machine_code_outputs.json).
namespace tilescope::hardware {

/// Counts by the instruction's place in the code section, its address / 16. An instruction that is not in the map has 0.
using CountsByInstruction = std::map<std::size_t, std::uint64_t>;

/// One launch.
struct RecordedLaunch {
  /// sass_sha256 of the cubin and its entry (profiler/kernels/compile/hash.hpp).
  std::string code_sha256;
  /// One element an instruction of the code section: executions by a warp, by threads that were active, and by those
  /// whose guard was true too (ncu: Instructions Executed, Thread Instructions Executed, Predicated-On Thread
  /// Instructions Executed).
  std::vector<std::uint64_t> executions, threads, threads_on;
  /// By their short names, "shared_wavefronts"; make_fixture.py lists them with ncu's.
  std::map<std::string, CountsByInstruction> by_instruction;
  /// Sums over the launch, by their short names: "shared_ld_wavefronts".
  std::map<std::string, std::uint64_t> totals;
};

class MachineCodeRecord {
 public:
  /// Reads both files below `root`, the repository's. Throws std::runtime_error when one cannot be read.
  explicit MachineCodeRecord(const std::filesystem::path& root);
  /// Reads records elsewhere, in the form of the two files.
  MachineCodeRecord(Json counts, Json outputs) : counts_(std::move(counts)), outputs_(std::move(outputs)) {}

  /// In the order of the file.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const { return counts_.at("launches").contains(name); }
  /// Both throw std::runtime_error for a launch that was not recorded.
  RecordedLaunch counts(const std::string& name) const;
  /// {"code_sha256", "regions": [{"name", "elements", "sha256", "kept", "values", "bits_sha256"}]}, see keep_outputs.
  const Json& outputs(const std::string& name) const;

  /// {"gpu", "driver", "recorded", "profiler", "nvrtc", "how"}
  const Json& provenance() const { return counts_.at("provenance"); }
  /// ncu's names by the short names that RecordedLaunch::totals and by_instruction use.
  const Json& total_metrics() const { return counts_.at("total_metrics"); }
  const Json& instruction_metrics() const { return counts_.at("instruction_metrics"); }

 private:
  Json counts_, outputs_;
};

}  // namespace tilescope::hardware
