#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/explanation/diagnose/parameter_change.hpp"
#include "sessions/diagnosis.hpp"
#include "sessions/measurement.hpp"

namespace tilescope {

/// A parameter of which other values make the same machine code and the same launch.
struct EqualValues {
  std::string parameter;
  /// Other values than the point's.
  std::vector<ParameterValue> values;
  /// Whether these are all other values that are valid.
  bool are_all = false;
};

/// Input of a rule.
struct DiagnosisInput {
  const Measurement& point;
  /// Declaration of the point's kernel; one without parameters where the catalogue does not have it.
  const KernelDeclaration& kernel;
  /// nullptr where it is not known: then all changes count as valid.
  const DeviceModel* device = nullptr;
  /// Where a variant for each parameter was compiled.
  std::vector<EqualValues> equal_values = {};
  /// Other points of this worker with the same machine code and launch: "tiled with BLOCK_M=32".
  std::vector<std::string> same_code = {};
};

/// Whether the kernel computes attention, as the ladder and the exhibits do: advice may then speak of keys and rows. A
/// file that is run has no declaration, and any of the others is taken for another kernel.
bool computes_attention(const KernelDeclaration& kernel);

/// One kind of diagnosis: how it is found, and how a change that repairs it is recognised.
struct DiagnosisRule {
  /// Diagnosis::kind of all that it finds: "bank_conflicts".
  std::string kind = {};
  /// Ascending among diagnoses of one severity; within one place they are ordered by kind.
  int place = 100;
  /// The worst first.
  std::vector<Diagnosis> (*find)(const DiagnosisInput&) = nullptr;
  /// Whether it also judges a launch that did not run to its end: others rest on all that a launch does.
  bool judges_ended_launch = false;
  /// Name of the counted cost: "Wavefronts". "" if the metric is the cost.
  std::string cost_name = {};
  /// The cost that a repair reduces; none if a point does not have it. nullptr if nothing is tried.
  std::optional<double> (*cost)(const Measurement&) = nullptr;
  /// The tag of the metric by which an alternative is described: "bank_conflicts". "" where nothing is tried.
  std::string metric = {};
  /// Which parameters are tried first; none where counts do not show what a change is worth.
  std::vector<ChangeKind> tries = {};
};

/// A rule registers itself with one line in its own file:
///   const RegisterRule register_spills{{.kind = "spills", ...}};
/// Throws std::logic_error for a kind that is taken and for a record without its functions: the program ends at its
/// start.
struct RegisterRule {
  explicit RegisterRule(DiagnosisRule rule);
};

/// Every rule, in the order of its place.
const std::vector<DiagnosisRule>& all_rules();

/// nullptr where there is none, as for a diagnosis from another version or from elsewhere.
const DiagnosisRule* find_rule(std::string_view kind);

}  // namespace tilescope
