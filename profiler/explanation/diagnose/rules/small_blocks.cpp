#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// Share of the SM's warps.
constexpr double low_occupancy = 0.5;
// How often the grid reads a byte of Q, K or V. With 32 rows to a block and 512 keys it is 16.
constexpr double major_rereads = 32;

// How often the launch reads each byte of its inputs; 0 where that is not known.
double rereads(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  // A file that was run has no shape.
  if (!point.memory || input.kernel.grid[0].empty()) return 0;
  const auto read = point.memory->bytes.find("global_read");
  if (read == point.memory->bytes.end()) return 0;
  const Shape& shape = point.shape;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  const double elements = number(shape.B) * number(shape.D) *
                          (number(shape.Hq) * number(shape.Sq) + 2 * number(shape.Hkv) * number(shape.Sk));
  return elements > 0 ? number(read->second) / (elements * number(element_bytes(shape.dtype))) : 0;
}

// The SM holds as many blocks as it can of any size, and they are too small to fill it.
std::vector<Diagnosis> find_small_blocks(const DiagnosisInput& input) {
  const Measurement& point = input.point;
  if (!point.occupancy || point.occupancy->limiter != Limiter::blocks) return {};
  const Occupancy& occupancy = *point.occupancy;
  if (occupancy.fraction > low_occupancy || occupancy.waves < 1) return {};
  const double reads = rereads(input);
  const bool is_major = reads >= major_rereads;
  Diagnosis diagnosis{"small_blocks",
                      Severity::cost,
                      {},
                      "",
                      "",
                      computes_attention(input.kernel)
                          ? "Give a block several warps, and enough rows to use each tile again."
                          : "Give a block several warps, and enough work to use again what it loads."};
  diagnosis.is_major = is_major;
  diagnosis.text = fmt::format(
      "Blocks too small to fill an SM: {} blocks of {} warp{} are all that it holds, {} of its warps{}.",
      occupancy.blocks_per_sm, occupancy.warps_per_sm / std::max<std::int64_t>(1, occupancy.blocks_per_sm),
      occupancy.warps_per_sm == occupancy.blocks_per_sm ? "" : "s", format_percent(occupancy.fraction),
      is_major ? fmt::format(", and the grid reads each byte of Q, K and V {} times", format_number(reads, 0))
               : "");
  diagnosis.evidence = "Registers and shared memory would allow more; the limit is the number of blocks.";
  add_saving(diagnosis, point, saving_without(point, "few_warps"));
  return {diagnosis};
}

const RegisterRule register_small_blocks{{.kind = "small_blocks", .place = 13, .find = find_small_blocks}};

}  // namespace
}  // namespace tilescope
