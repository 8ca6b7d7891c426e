#pragma once

#include <optional>
#include <string>

#include "sessions/prediction.hpp"

namespace tilescope {

/// The prediction without a cause that carries a part of a difference, on the side that spends more on the part.
struct CarryingCause {
  /// "bank_conflicts", as in Counterfactual::cause.
  std::string cause;
  /// [us] That side's latency without the cause, and with it.
  double p50_us = 0, instead_of_us = 0;

  bool operator==(const CarryingCause&) const = default;
};

/// The cause, if it carries at least `least_us` [us] of a difference: its removal saves that much more on one side than
/// on the other.
std::optional<CarryingCause> carrying_cause(const std::string& cause, const Prediction& more,
                                            const Prediction& less, double least_us);

/// The one that carries most, as above, of the causes that can carry a part of a prediction ("bank conflicts").
std::optional<CarryingCause> carrying_cause_of_part(const std::string& part, const Prediction& more,
                                                    const Prediction& less, double least_us);

/// "Without its bank conflicts A would take 105.00 µs instead of 140.00 µs." Beside measured times: "A is predicted to
/// take ...".
std::string carrying_sentence(const CarryingCause& carrying, const std::string& side, bool beside_measured);

}  // namespace tilescope
