#include <fmt/format.h>

#include <algorithm>

#include "base/text/format.hpp"
#include "profiler/explanation/diagnose/code_place.hpp"
#include "profiler/explanation/diagnose/rule.hpp"
#include "profiler/explanation/diagnose/saving.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

// Share of the bytes that the kernel's lanes move, as for spills.
constexpr double least_share = 0.005;
constexpr double major_share = 0.05;
// [B] The arguments of a few calls of printf lie in local memory, too.
constexpr double fewest_bytes = 1024;

// Machine code that spills a register addresses it by the stack pointer alone, and so does code that accesses an array
// at a constant index: where nothing is indexed otherwise, they are spills, of which another rule speaks.
bool has_index(const MemorySite& site) {
  return site.instruction.find("[R1]") == std::string::npos &&
         site.instruction.find("[R1+") == std::string::npos;
}

double bytes_of(const MemorySite& site) {
  return static_cast<double>(site.lanes) * static_cast<double>(site.width_bytes);
}

double all_bytes(const MemoryCounts& memory) {
  double all = 0;
  for (const auto& [name, bytes] : memory.bytes) all += static_cast<double>(bytes);
  return all;
}

std::string lines_words(const std::vector<std::int64_t>& lines) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i)
    text += fmt::format("{}{}", i == 0 ? (lines.size() == 1 ? " at line " : " at lines ") : ", ", lines[i]);
  return text;
}

std::vector<Diagnosis> find_local_memory(const DiagnosisInput& input) {
  const auto& memory = input.point.memory;
  if (!memory) return {};
  const bool has_array = std::ranges::any_of(
      memory->sites, [](const MemorySite& site) { return is_local_site(site) && has_index(site); });
  if (!has_array) return {};
  Diagnosis diagnosis{"local_memory", Severity::cost, {}, "", "", ""};
  double read = 0, written = 0;
  std::int64_t excess = 0;
  for (const MemorySite& site : memory->sites) {
    if (!is_local_site(site)) continue;
    (site.operation.starts_with("st") ? written : read) += bytes_of(site);
    excess += site.conflicts;
    add_line(diagnosis, {site.line, site.file, site.inlined}, input.kernel);
  }
  const double all = all_bytes(*memory), share = all > 0 ? (read + written) / all : 0;
  if (share < least_share || read + written < fewest_bytes) return {};
  std::ranges::sort(diagnosis.lines);
  diagnosis.is_major = share >= major_share;
  diagnosis.text =
      fmt::format("Arrays or other variables lie in local memory{}: threads read {} and write {} there.",
                  lines_words(diagnosis.lines), format_bytes(static_cast<std::int64_t>(read)),
                  format_bytes(static_cast<std::int64_t>(written)));
  diagnosis.evidence = fmt::format(
      "{} of the bytes that lanes move. Registers have no index and no address: an array that is indexed at "
      "run time, a "
      "variable whose address is taken, and in a debug build every variable lies in memory behind L1 and "
      "L2.{}",
      format_percent(share),
      excess > 0
          ? fmt::format(" Lanes that access different indices take {} sectors more than lanes at one index.",
                        format_count(excess))
          : "");
  diagnosis.repair =
      "Index arrays with constants, by unrolling the loops over them completely, so that they stay in "
      "registers; or put "
      "them into shared memory.";
  add_saving(diagnosis, input.point, saving_without(input.point, "local_memory"));
  return {diagnosis};
}

const RegisterRule register_local_memory{{.kind = "local_memory", .place = 12, .find = find_local_memory}};

}  // namespace
}  // namespace tilescope
