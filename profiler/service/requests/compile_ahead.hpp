#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json_members.hpp"
#include "profiler/service/requests/experiment_list.hpp"
#include "profiler/service/requests/request.hpp"

namespace tilescope {

/// Compiles the configurations likely to be asked for next, on idle cores and at low priority, and answers at
/// once. Waiting compilations of an earlier request of this kind are dropped; the running one is finished, or
/// cancelled if the list is empty. A configuration that is invalid or does not compile is skipped silently: a
/// request for it reports why.
/// In JSON each source that an experiment carries is written once (experiment_list.hpp).
struct CompileAhead {
  static constexpr const char* name = "compile_ahead";
  static constexpr std::chrono::seconds time_limit{60};
  struct Params {
    /// The likeliest first.
    std::vector<Experiment> experiments;

    static constexpr auto members = [](const auto& object, auto& params) {
      visit_experiments(object, params.experiments);
    };
  };
  struct Answer {
    Status status = Status::ok;
    std::string reason;
    /// How many wait or are being compiled; some may turn out to be cached.
    std::int64_t waiting = 0;

    static constexpr auto members = [](const auto& object, auto& answer) {
      object.required("status", answer.status, status_from);
      object.required("reason", answer.reason);
      object.required("waiting", answer.waiting);
    };
  };
};

}  // namespace tilescope
