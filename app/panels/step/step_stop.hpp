#pragma once

#include <memory>

#include "profiler/service/requests/step.hpp"

namespace tilescope {

class Explorer;

/// The stop of the play head, for a panel that shows it; where there is none it draws what is missing and returns nullptr.
std::shared_ptr<const StepStop> step_stop_or_reason(Explorer& explorer);

}  // namespace tilescope
