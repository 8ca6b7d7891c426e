#include <fmt/format.h>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Share of the predicted latency: less is within what launches differ by.
constexpr double notable_share = 0.05;

// Where all SMs get as many blocks, their unequal lengths are what makes some SMs finish late.
bool has_uneven_blocks(const Occupancy& occupancy, std::int64_t sms) {
  return occupancy.grid_blocks && sms > 0 && *occupancy.grid_blocks % sms == 0;
}

std::vector<Diagnosis> find_tail(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  const auto share = predicted_share(point, {"tail"});
  if (!share || *share < notable_share || !point.occupancy) return {};
  const Occupancy& occupancy = *point.occupancy;
  const std::int64_t sms = input.device == nullptr ? 0 : input.device->sm_count;
  // Fewer blocks than SMs have a rule of their own.
  if (sms > 0 && occupancy.grid_blocks.value_or(0) < sms) return {};
  const bool is_uneven = has_uneven_blocks(occupancy, sms);
  Diagnosis diagnosis{
      "tail",
      Severity::cost,
      {},
      "",
      "",
      is_uneven ? "Start the longest blocks first, divide their work evenly, or let as many blocks "
                  "as reside take portions of it from a list."
                : "Choose tiles whose number of blocks divides over the SMs, make the blocks smaller, "
                  "or let as many blocks as reside take tiles from a list."};
  diagnosis.text = fmt::format(
      "SMs {} for {} of the predicted latency.",
      is_uneven ? "wait for others whose blocks are longer" : "wait for the last blocks of the grid",
      format_percent(*share));
  if (occupancy.grid_blocks && sms > 0) {
    diagnosis.evidence = fmt::format("{} blocks on {} SMs with {} resident blocks each: {} waves.",
                                     format_count(*occupancy.grid_blocks), format_count(sms),
                                     occupancy.blocks_per_sm, format_number(occupancy.waves, 2));
  }
  add_saving(diagnosis, point, predicted_parts_us(point, {"tail"}));
  return {diagnosis};
}

const RegisterRule register_tail{{.kind = "tail", .place = 19, .find = find_tail}};

}  // namespace
}  // namespace tilescope
