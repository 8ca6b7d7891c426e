#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// A fault changes the result, or may; a cost takes time; a hint is all else, such as a parameter without effect.
enum class Severity { fault, cost, hint };

std::string to_string(Severity severity);
/// Throws std::invalid_argument with the names that there are.
Severity severity_from(const std::string& text);

/// Time that a repair would take off the predicted latency. [us]
struct Saving {
  double us = 0;
  /// The range in which it is expected.
  double low_us = 0, high_us = 0;

  bool operator==(const Saving&) const = default;
};

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
  /// Time that removing it would save; none where that was not predicted.
  std::optional<Saving> saving{};
  /// A cost or a hint that no tuning justifies, such as a layout in which most wavefronts are conflicts: it is said
  /// before the others.
  bool is_major = false;

  bool operator==(const Diagnosis&) const = default;
};

/// The order in which diagnoses are said, ascending: faults, major ones, costs, hints.
int rank_of(const Diagnosis& diagnosis);

/// A sentence on how to read the savings of several diagnoses together; "" where at most one has a saving.
std::string note_on_savings(const std::vector<Diagnosis>& diagnoses);

/// As sessions/schema.json has it. Reading throws DocumentError. A large cost that an older program called a fault is
/// read as a major cost.
void to_json(Json& json, const Saving& saving);
void from_json(const Json& json, Saving& saving);
void to_json(Json& json, const Diagnosis& diagnosis);
void from_json(const Json& json, Diagnosis& diagnosis);

}  // namespace tilescope
