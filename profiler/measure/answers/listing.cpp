#include "profiler/requests/listing.hpp"

#include "profiler/measure/preparation.hpp"
#include "profiler/measure/register_answer.hpp"

namespace tilescope {
namespace {

Listing::Answer answer_listing(Workbench& bench, const Listing::Params& params,
                               const MeasureControl& control) {
  Listing::Answer answer;
  const auto list = [&](const ChosenExperiment& chosen, PreparedKernel& prepared, Measurement& point) {
    answer.ptx = prepared.compiled.ptx;
    if (!answer.ptx.empty()) return;
    point.status = Status::unsupported;
    point.reason = no_ptx(chosen.kernel);
  };
  const Measurement point = with_prepared(bench, params.experiment, Purpose::look, control, list);
  answer.status = point.status;
  answer.reason = point.reason;
  answer.compiler_log = point.compiler_log;
  answer.source_sha256 = point.provenance.source_sha256;
  return answer;
}

const RegisterAnswer<Listing> register_listing{answer_listing};

}  // namespace
}  // namespace tilescope
