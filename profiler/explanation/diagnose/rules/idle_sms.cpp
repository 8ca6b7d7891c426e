#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

std::vector<Diagnosis> find_idle_sms(const DiagnosisInput& input) {
  const auto& occupancy = input.point.occupancy;
  if (input.device == nullptr || !occupancy || !occupancy->grid_blocks || *occupancy->grid_blocks <= 0)
    return {};
  const std::int64_t blocks = *occupancy->grid_blocks, sms = input.device->sm_count;
  if (blocks >= sms) return {};
  const char* repair = computes_attention(input.kernel)
                           ? "Make more blocks: smaller tiles, or split the keys over several blocks."
                           : "Make more blocks: give each less to do, or split a sum over several blocks.";
  Diagnosis diagnosis{"idle_sms", Severity::cost, {}, "", "", repair};
  diagnosis.text = fmt::format("{} of {} SMs are idle: the grid has {} block{}.", format_count(sms - blocks),
                               format_count(sms), format_count(blocks), blocks == 1 ? "" : "s");
  diagnosis.evidence = fmt::format("{} waves.", format_number(occupancy->waves, 2));
  const double idle = 1 - static_cast<double>(blocks) / static_cast<double>(sms);
  add_saving(diagnosis, input.point, saving_of_work(input.point, idle));
  return {diagnosis};
}

const RegisterRule register_idle_sms{{.kind = "idle_sms", .place = 18, .find = find_idle_sms}};

}  // namespace
}  // namespace tilescope
