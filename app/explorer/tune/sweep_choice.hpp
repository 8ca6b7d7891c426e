#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/kernels/catalogue/kernel_declaration.hpp"
#include "profiler/service/client/sweep.hpp"

namespace tilescope {

/// Parameters that a sweep goes through, and the values of each: the user's choice for each kernel, which
/// stays when another kernel is chosen. Parameters and values that a kernel no longer declares are kept but
/// ignored.
class SweepChoice {
 public:
  bool is_swept(const std::string& kernel, const std::string& parameter) const;
  /// Takes the parameter into the sweep, or out of it; the choice of its values stays.
  void toggle(const std::string& kernel, const std::string& parameter);

  /// True for a value that was never left out.
  bool has_value(const std::string& kernel, const std::string& parameter, const ParameterValue& value) const;
  void toggle_value(const std::string& kernel, const std::string& parameter, const ParameterValue& value);
  void choose_all(const std::string& kernel, const std::string& parameter);
  void choose_none(const std::string& kernel, const ParameterDeclaration& parameter);

  /// The declared values that are chosen, in the order of the declaration.
  std::vector<ParameterValue> values_of(const std::string& kernel,
                                        const ParameterDeclaration& parameter) const;
  /// The sweep over a kernel's parameters. Empty when nothing is chosen, or a swept parameter has no value.
  SweptParameters swept_of(const KernelDeclaration& kernel) const;
  /// The first swept parameter without a value, "" for none.
  std::string without_value(const KernelDeclaration& kernel) const;

  bool operator==(const SweepChoice&) const = default;

  friend void to_json(Json& json, const SweepChoice& choice);
  /// Members that to_json would not write so are left out: a settings file may be of another version.
  friend void from_json(const Json& json, SweepChoice& choice);

 private:
  struct Parameter {
    bool swept = false;
    /// Values that a kernel declares later are in the sweep.
    std::vector<ParameterValue> left_out;

    bool operator==(const Parameter&) const = default;
  };
  const Parameter* find(const std::string& kernel, const std::string& parameter) const;

  /// By kernel and parameter.
  std::map<std::string, std::map<std::string, Parameter>> kernels_;
};

}  // namespace tilescope
