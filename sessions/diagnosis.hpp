#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// A fault makes the result wrong or may; a cost makes the kernel slower; a hint may be worth a try.
enum class Severity { fault, cost, hint };

std::string to_string(Severity severity);
/// Throws std::invalid_argument with the names that there are.
Severity severity_from(const std::string& text);

/// A problem of a point, its evidence, and its repair.
struct Diagnosis {
  /// "dead_knob", "bank_conflicts"
  std::string kind;
  Severity severity = Severity::hint;
  /// In the kernel's own file, without repetition.
  std::vector<std::int64_t> lines;
  /// A sentence.
  std::string text;
  /// The figures that it rests on; "" for none.
  std::string evidence;
  /// The change to make; "" if unknown.
  std::string repair;
  /// Where in code that was inlined into the first of the lines the accesses are, as accessing_place(); "" for the line
  /// itself.
  std::string inlined_place{};
  /// [us] Upper bound of its cost in the predicted latency; none if the prediction has no part for it.
  std::optional<double> cost_us{};

  bool operator==(const Diagnosis&) const = default;
};

/// As sessions/schema.json has it. Reading throws DocumentError.
void to_json(Json& json, const Diagnosis& diagnosis);
void from_json(const Json& json, Diagnosis& diagnosis);

}  // namespace tilescope
