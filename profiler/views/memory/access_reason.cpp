#include "profiler/views/memory/access_reason.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>
#include <utility>

#include "base/text/format.hpp"
#include "profiler/execution/memory/shared_passes.hpp"
#include "profiler/views/memory/conflict_reason.hpp"
#include "profiler/views/memory/lane_words.hpp"
#include "profiler/views/memory/number_lists.hpp"
#include "profiler/views/memory/sector_reason.hpp"

namespace tilescope {
namespace {

using simt::Access;
using simt::LaneMask;

// A pass in which some lanes of a copy write zeros.
std::string fill_reason(const AccessPass& pass) {
  const std::string lanes = counted_noun(std::popcount(pass.lanes), "lane");
  return fmt::format("Some lanes copy zeros, so that all write in passes too: {} in {}.", lanes,
                     counted_noun(pass.wavefronts, "wavefront"));
}

// Why the lanes of one line of global memory take several wavefronts.
std::string past_l1_reason(const MicroscopeView& view, std::size_t worst) {
  const AccessPass& pass = view.shared.passes[worst];
  const auto lines = std::ranges::count(view.shared.passes, false, &AccessPass::is_fill);
  if (pass.is_fill) return fill_reason(pass);
  if (pass.wavefronts <= 1)
    return fmt::format("The lanes copy from {} of 128 B of global memory, each in one wavefront.",
                       counted_noun(lines, "line"));
  std::set<std::uint64_t> turns;
  for (const BankWord& word : pass.words) turns.insert(word.word / bank_count);
  bool is_shifted = false;
  for (const std::int64_t lane : lanes_in(pass.lanes)) {
    const LaneView& shown = view.lanes[static_cast<std::size_t>(lane)];
    is_shifted = is_shifted || (shown.address / 16 + *shown.source / 16) % 2 != 0;
  }
  std::string text = fmt::format("The {} that read global line {} (128 B) write into {} of the banks",
                                 counted_noun(std::popcount(pass.lanes), "lane"), worst + 1,
                                 counted_noun(static_cast<std::int64_t>(turns.size()), "turn"));
  if (is_shifted) text += " and move by 16 B against global memory, which cuts sectors of 32 B in two";
  return text + fmt::format(": {} wavefronts.", pass.wavefronts);
}

std::string pass_conflict(const MicroscopeView& view, std::size_t pass) {
  return is_serialised(view.site.access) ? atomic_reason(view, pass) : conflict_reason(view, pass);
}

// Says what the other passes take, since the reason is one pass's.
std::string other_passes(const MicroscopeView& view) {
  const std::vector<AccessPass>& passes = view.shared.passes;
  const std::uint32_t most = passes[view.worst_pass()].wavefronts;
  const bool are_equal =
      std::ranges::all_of(passes, [&](const AccessPass& pass) { return pass.wavefronts == most; });
  const std::string noun = view.shared.is_past_l1 ? "global line" : "pass";
  const std::size_t others = passes.size() - 1;
  const std::string subject =
      others == 1 ? "The other " + noun
                  : fmt::format("The other {} {}", others, noun == "pass" ? "passes" : "global lines");
  const std::string verb = others == 1 ? "takes" : "take";
  if (are_equal) return fmt::format(" {} {} {} wavefronts, too.", subject, verb, most);
  return fmt::format(" {} {} {}.", subject, verb, others == 1 ? "fewer" : "as many or fewer");
}

std::string idle_words(const MicroscopeView& view) {
  LaneMask idle = 0;
  for (std::size_t lane = 0; lane < view.lanes.size(); ++lane) {
    if (view.lanes[lane].role == LaneRole::idle) idle |= LaneMask{1} << lane;
  }
  if (idle == 0) return "";
  return " " + capitalised(lane_list(idle)) + (std::popcount(idle) == 1 ? " is idle." : " are idle.");
}

std::string free_reason(const MicroscopeView& view) {
  const std::vector<AccessPass>& passes = view.shared.passes;
  const AccessPass& first = passes.front();
  LaneMask sharing = 0;
  for (const AccessPass& pass : passes) sharing |= pass.sharing;
  std::string text;
  const bool one_word = passes.size() == 1 && first.words.size() == 1;
  if (one_word && std::popcount(first.lanes) > 1) {
    text = fmt::format("All {} {} one word, which moves once for all of them.",
                       counted_noun(std::popcount(first.lanes), "active lane"), verb_of(view.site.access));
  } else {
    const std::vector<std::int64_t> lanes = lanes_in(first.lanes);
    text = fmt::format("{} needs at most one word of each bank: {} {} {}, in {}.",
                       passes.size() == 1 ? "The warp" : "Each pass", counted_list("lane", lanes),
                       verb_of(view.site.access), places_words(view, lanes),
                       counted_noun(static_cast<std::int64_t>(banks_used(first)), "bank"));
    if (sharing != 0) text += " Lanes that share a word get it in the same wavefront.";
  }
  if (view.shared.are_merged)
    text += " Neighbouring lanes are idle or have the same address, so that two passes become one.";
  return text;
}

}  // namespace

std::string verb_of(Access access) {
  switch (access) {
    case Access::load:
    case Access::matrix_load:
    case Access::async_copy_read:
      return "read";
    case Access::atomic:
    case Access::atomic_count:
      return "update";
    default:
      return "write";
  }
}

std::string reason_of(const MicroscopeView& view) {
  const std::size_t pass = view.worst_pass();
  const auto kind = [&] {
    if (!view.site.is_shared) return sector_reason(view);
    if (view.shared.is_past_l1) return past_l1_reason(view, pass);
    if (view.shared.cost.degree <= 1) return free_reason(view);
    return pass_conflict(view, pass);
  };
  return kind() + idle_words(view);
}

std::string pass_reason(const MicroscopeView& view, std::optional<std::size_t> pass) {
  const std::vector<AccessPass>& passes = view.shared.passes;
  if (passes.size() < 2 || view.shared.cost.degree <= 1) return view.reason;
  if (!pass) return view.reason + other_passes(view);
  if (*pass >= passes.size() || *pass == view.worst_pass()) return view.reason;
  if (passes[*pass].wavefronts <= 1) return view.pass_name(*pass) + " takes one wavefront.";
  return view.shared.is_past_l1 ? past_l1_reason(view, *pass) : pass_conflict(view, *pass);
}

std::string longest_reason(const BlockRecording& recording, const TileFinder& tiles,
                           const std::vector<std::uint32_t>& accesses) {
  constexpr std::size_t most_views = 32;
  const std::size_t views = std::min(accesses.size(), most_views);
  std::string longest;
  const auto take = [&](std::string text) {
    if (text.size() > longest.size()) longest = std::move(text);
  };
  for (std::size_t i = 0; i < views; ++i) {
    const std::size_t place = views == 1 ? 0 : i * (accesses.size() - 1) / (views - 1);
    const MicroscopeView view = microscope_view(recording, tiles, recording.accesses[accesses[place]]);
    take(pass_reason(view, std::nullopt));
    for (std::size_t pass = 0; pass < view.shared.passes.size(); ++pass) take(pass_reason(view, pass));
  }
  return longest;
}

std::string rule_of(const MicroscopeView& view) {
  if (!view.site.is_shared)
    return "A request moves sectors of 32 B; four of them are a line of 128 B. The minimum is the sectors "
           "that could hold the bytes that the lanes use.";
  if (view.shared.is_past_l1)
    return "A cp.async past L1 takes wavefronts by the lines of 128 B that it reads: one moves 32-byte "
           "sectors of one line into one turn of the banks, unchanged, rotated or mirrored. Inferred from "
           "measurements on "
           "an H200.";
  const Access access = view.site.access;
  if (access == Access::matrix_load || access == Access::matrix_store)
    return "Each 8x8 matrix is a pass: 8 lanes give the addresses of its rows of 16 B.";
  const auto width = static_cast<int>(view.site.width_bytes);
  const int lanes = lanes_for_width(access, width);
  std::string text = lanes == simt::lane_count ? "Up to 4 B per lane are one pass of the whole warp."
                                               : fmt::format("{} B per lane are {} passes of {} lanes.",
                                                             width, simt::lane_count / lanes, lanes);
  if (view.shared.are_merged)
    text += " Loads merge two passes where no two active neighbours have different addresses.";
  if (is_serialised(access)) text += " Every lane of an atomic takes a wavefront of its word's bank.";
  return text + " A pass takes as many wavefronts as the most different words that it needs of one bank.";
}

}  // namespace tilescope
