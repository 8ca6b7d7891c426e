#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/cost.hpp"
#include "profiler/explanation/diagnose/rule.hpp"

namespace tilescope {
namespace {

// Share of the predicted latency: less is within what launches differ by.
constexpr double notable_share = 0.15;

std::vector<Diagnosis> find_tail(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  const auto share = predicted_share(point, {"tail"});
  if (!share || *share < notable_share || !point.occupancy) return {};
  const Occupancy& occupancy = *point.occupancy;
  // Fewer blocks than SMs have a rule of their own.
  const bool has_device = input.device != nullptr && input.device->sm_count > 0;
  if (has_device && occupancy.grid_blocks.value_or(0) < input.device->sm_count) return {};
  Diagnosis diagnosis{
      "tail",
      Severity::cost,
      {},
      "",
      "",
      "Choose tiles whose number of blocks divides over the SMs, make the blocks smaller, start the "
      "longest first, or let as many blocks as reside take tiles from a list."};
  diagnosis.text = fmt::format("SMs wait for the last blocks of the grid for {} of the predicted latency.",
                               format_percent(*share));
  if (occupancy.grid_blocks && has_device) {
    diagnosis.evidence = fmt::format(
        "{} blocks on {} SMs with {} resident blocks each: {} waves.", format_count(*occupancy.grid_blocks),
        format_count(input.device->sm_count), occupancy.blocks_per_sm, format_number(occupancy.waves, 2));
  }
  add_cost(diagnosis, point, {"tail"});
  return {diagnosis};
}

const RegisterRule register_tail{{.kind = "tail", .place = 19, .find = find_tail}};

}  // namespace
}  // namespace tilescope
