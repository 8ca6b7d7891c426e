#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"

namespace tilescope {
namespace {

// How often a block reads a sector, beyond what uncoalesced lanes do. Kernels with tiles read it once; a stencil reads
// it a few times, through L1.
constexpr double notable_reuse = 3;
constexpr double major_reuse = 8;
// [sectors] Less than 2 KB are constants and tables, which L1 keeps.
constexpr std::int64_t fewest_sectors = 64;
// With a smaller share of the predicted latency in the memories something else bounds the kernel.
constexpr double notable_latency = 0.1;

double reuse_of(const MemoryCounts& memory) {
  const WatchedBlock& watched = *memory.work->watched;
  const double coalesced = memory.global_sectors > 0 ? static_cast<double>(memory.global_sectors_minimum) /
                                                           static_cast<double>(memory.global_sectors)
                                                     : 1;
  return coalesced * static_cast<double>(watched.sectors_read) /
         static_cast<double>(std::max<std::int64_t>(1, watched.different_sectors));
}

std::vector<Diagnosis> find_no_staging(const DiagnosisInput& input) {
  const auto& memory = input.point.memory;
  if (!memory || !memory->work || !memory->work->watched) return {};
  const WatchedBlock& watched = *memory->work->watched;
  const double reuse = reuse_of(*memory);
  if (watched.different_sectors < fewest_sectors || reuse < notable_reuse) return {};
  if (predicted_share(input.point, {"shared memory", "L2 and DRAM"}).value_or(1) < notable_latency) return {};
  Diagnosis diagnosis{
      "no_staging",
      Severity::cost,
      {},
      "",
      "",
      "Copy the data into shared memory or registers once, in whole lines, and let all threads of the "
      "block read it there."};
  diagnosis.is_major = reuse >= major_reuse;
  std::string place;
  for (const RepeatedRead& read : watched.repeated) add_line(diagnosis, read.place, input.kernel);
  if (!watched.repeated.empty()) place = at_place_words(watched.repeated.front().place, input.kernel);
  diagnosis.text = fmt::format(
      "The same bytes are read from global memory again and again{}: a block reads each {} times.", place,
      format_number(reuse, 0));
  diagnosis.evidence =
      fmt::format("The block that was watched reads {} sectors of 32 B, {} of them different.",
                  format_count(watched.sectors_read), format_count(watched.different_sectors));
  add_saving(diagnosis, input.point, saving_without(input.point, "repeated_reads"));
  return {diagnosis};
}

const RegisterRule register_no_staging{{.kind = "no_staging", .place = 10, .find = find_no_staging}};

}  // namespace
}  // namespace tilescope
