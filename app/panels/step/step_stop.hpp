#pragma once

#include <memory>
#include <string>

#include "profiler/service/requests/step.hpp"

namespace tilescope {

class Explorer;

/// The stop of the play head, with the tag block_of_file of the opened file's one, for a panel that shows it; where there is none it draws what is missing and returns nullptr.
std::shared_ptr<const StepStop> step_stop_or_reason(Explorer& explorer, const std::string& tag = "");

}  // namespace tilescope
