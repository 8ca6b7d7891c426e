#include "sessions/compare/part_causes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

// A cause that can carry a part. Parts that are not listed, such as the clock, have no counterfactual.
struct PartCause {
  std::string_view part, cause;
};
constexpr std::array<PartCause, 22> part_causes{{{"bank conflicts", "bank_conflicts"},
                                                 {"L2 and DRAM", "excess_sectors"},
                                                 {"L2 and DRAM", "local_memory"},
                                                 {"L2 and DRAM", "repeated_reads"},
                                                 {"L2 and DRAM", "atomics"},
                                                 {"L2 and DRAM", "l2"},
                                                 {"L2 and DRAM", "dram"},
                                                 {"barriers", "barriers"},
                                                 {"barriers", "idle_warps"},
                                                 {"tail", "tail"},
                                                 {"latency", "few_warps"},
                                                 {"latency", "repeated_reads"},
                                                 {"latency", "barriers"},
                                                 {"issue slots", "issue_slots"},
                                                 {"issue slots", "narrow_loads"},
                                                 {"tensor", "tensor"},
                                                 {"FMA and ALU", "arithmetic"},
                                                 {"MUFU", "mufu"},
                                                 {"shared memory", "shared_memory"},
                                                 {"shared memory", "local_memory"},
                                                 {"launch", "launch"},
                                                 {"block start", "block_start"}}};

struct Removal {
  std::string_view cause, words;
};
constexpr std::array<Removal, 19> removals{{{"bank_conflicts", "Without its bank conflicts"},
                                            {"excess_sectors", "Without its excess sectors"},
                                            {"local_memory", "Without its local memory traffic"},
                                            {"barriers", "Without its waits at barriers"},
                                            {"idle_warps", "With equal work for all warps of a block"},
                                            {"repeated_reads", "With all that it loads again in L1"},
                                            {"atomics", "With atomic operations that never meet"},
                                            {"narrow_loads", "With loads of 16 B a lane"},
                                            {"tail", "Without its tail"},
                                            {"few_warps", "With twice the resident warps"},
                                            {"issue_slots", "With unlimited issue slots"},
                                            {"tensor", "With infinitely fast tensor cores"},
                                            {"arithmetic", "With infinitely fast FMA and ALU pipes"},
                                            {"mufu", "With an infinitely fast MUFU"},
                                            {"shared_memory", "With an infinitely fast load-store unit"},
                                            {"l2", "With unlimited L2 bandwidth"},
                                            {"dram", "With unlimited DRAM bandwidth"},
                                            {"launch", "Without its launch"},
                                            {"block_start", "Without the start of its blocks"}}};

// [us] Saving of the whole launch without the cause; none where that was not predicted.
std::optional<double> saving_of(const Prediction& prediction, std::string_view cause) {
  for (const Counterfactual& counterfactual : prediction.without) {
    if (counterfactual.cause == cause && counterfactual.lines.empty())
      return prediction.p50_us - counterfactual.p50_us;
  }
  return std::nullopt;
}

// [us] NaN where it is not known.
double carried_us(std::string_view cause, const Prediction& more, const Prediction& less) {
  constexpr double not_known = std::numeric_limits<double>::quiet_NaN();
  return saving_of(more, cause).value_or(not_known) - std::max(0.0, saving_of(less, cause).value_or(0));
}

}  // namespace

std::optional<CarryingCause> carrying_cause(const std::string& cause, const Prediction& more,
                                            const Prediction& less, double least_us) {
  if (!(carried_us(cause, more, less) >= least_us)) return std::nullopt;
  return CarryingCause{cause, more.p50_us - *saving_of(more, cause), more.p50_us};
}

std::optional<CarryingCause> carrying_cause_of_part(const std::string& part, const Prediction& more,
                                                    const Prediction& less, double least_us) {
  std::optional<CarryingCause> most;
  for (const PartCause& candidate : part_causes) {
    if (candidate.part != part) continue;
    const std::string cause(candidate.cause);
    const auto carrying = carrying_cause(cause, more, less, least_us);
    if (!carrying) continue;
    if (!most || carried_us(cause, more, less) > carried_us(most->cause, more, less)) most = carrying;
  }
  return most;
}

std::string carrying_sentence(const CarryingCause& carrying, const std::string& side, bool beside_measured) {
  const auto* found = std::ranges::find(removals, carrying.cause, &Removal::cause);
  const std::string removal =
      found == removals.end() ? "Without " + carrying.cause : std::string(found->words);
  return removal + " " + side + (beside_measured ? " is predicted to take " : " would take ") +
         format_latency(carrying.p50_us) + " instead of " + format_latency(carrying.instead_of_us) + ".";
}

}  // namespace tilescope
