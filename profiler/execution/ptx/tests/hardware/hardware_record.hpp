#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>

#include "base/json.hpp"

/// The recordings of a GPU (h200_counters.json, h200_outputs.json), and the known differences of the interpreter
/// (h200_differences.json).
namespace tilescope::hardware {

/// Counts by their short names: "ld_wavefronts", "global_st_sectors".
using Counters = std::map<std::string, std::int64_t>;

class HardwareRecord {
 public:
  /// Reads the three files. Throws std::runtime_error when one cannot be read.
  explicit HardwareRecord(const std::filesystem::path& root);

  /// All three throw std::runtime_error for a case that was not recorded.
  Counters counters(const std::string& case_name) const;
  bool has_outputs(const std::string& case_name) const { return outputs_.contains(case_name); }
  /// {"code_sha256", "regions" ...}
  const Json& outputs(const std::string& case_name) const;
  /// {"why", "counters": {name: [GPU, here]}, "fused": [...]}, or null if the interpreter's counts equal the GPU's.
  const Json& difference(const std::string& case_name) const;

  /// By case.
  const Json& differences() const { return differences_.at("cases"); }
  /// Sentences by "why".
  const Json& reasons() const { return differences_.at("reasons"); }
  /// {kernel: {"fault" or "repaired": {tool that reports anything: {"reports", "lines"}}}}
  const Json& sanitizer() const { return counters_.at("sanitizer"); }
  /// Why, by kernel.
  const Json& missed_by_sanitizer() const { return differences_.at("missed by compute-sanitizer"); }
  const Json& provenance() const { return counters_.at("provenance"); }

 private:
  Json counters_, differences_;
  std::map<std::string, Json> outputs_;
};

}  // namespace tilescope::hardware
