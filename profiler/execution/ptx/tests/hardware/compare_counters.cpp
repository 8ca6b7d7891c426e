#include "profiler/execution/ptx/tests/hardware/compare_counters.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <stdexcept>

#include "base/json.hpp"

namespace tilescope::hardware {
namespace {

struct Meaning {
  const char* operation;  // of a MemorySite
  const char* counter;    // the start of the counter's name
};
constexpr Meaning shared_meanings[] = {
    {"ld.shared", "ld"},         {"wmma.load.shared", "ld"}, {"st.shared", "st"},
    {"wmma.store.shared", "st"}, {"ldmatrix", "ldsm"},       {"stmatrix", "stsm"},
    {"cp.async", "ldgsts"},      {"atom.shared", "atom"},    {"red.shared", "atom"},
};
constexpr Meaning global_meanings[] = {{"ld.global", "global_ld"},
                                       {"wmma.load.global", "global_ld"},
                                       {"st.global", "global_st"},
                                       {"wmma.store.global", "global_st"},
                                       {"cp.async.global", "global_ldgsts"}};

template <std::size_t count>
std::string prefix_of(const Meaning (&meanings)[count], const std::string& operation) {
  const auto found =
      std::ranges::find_if(meanings, [&](const Meaning& one) { return operation == one.operation; });
  return found == std::end(meanings) ? "" : found->counter;
}

bool has_one_warp(const Case& one) {
  return one.launch.grid.count() == 1 && one.launch.block.count() <= 32;
}

// The first line, from 1, that has the text.
std::int64_t line_of(const std::filesystem::path& file, const std::string& text) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  for (std::string line; std::getline(stream, line);) {
    ++number;
    if (line.find(text) != std::string::npos) return number;
  }
  throw std::runtime_error("no line of " + file.string() + " has '" + text +
                           "', where h200_differences.json knows of fused loads; look at the SASS again");
}

}  // namespace

Counters counters_of(const MemoryCounts& memory) {
  Counters counters;
  for (const MemorySite& site : memory.sites) {
    if (const std::string shared = prefix_of(shared_meanings, site.operation); !shared.empty()) {
      counters[shared + "_instructions"] += site.executions;
      counters[shared + "_wavefronts"] += site.wavefronts;
      counters[shared + "_conflicts"] += site.conflicts;
    } else if (const std::string global = prefix_of(global_meanings, site.operation); !global.empty()) {
      counters[global + "_requests"] += site.executions;
      counters[global + "_sectors"] += site.wavefronts;
    }
  }
  counters["l1tex_ld_conflicts"] = counters["ld_conflicts"] + counters["ldsm_conflicts"];
  counters["l1tex_st_conflicts"] = counters["st_conflicts"] + counters["stsm_conflicts"];
  return counters;
}

double CounterComparison::deviation() const {
  if (here == gpu) return 0;
  if (gpu == 0) return std::numeric_limits<double>::infinity();
  return std::abs(static_cast<double>(here - gpu) / static_cast<double>(gpu));
}

std::vector<CounterComparison> compare_counters(const Case& one, const HardwareRecord& record,
                                                const MemoryCounts& memory) {
  Counters here = counters_of(memory);
  const Json& difference = record.difference(one.name);
  std::vector<CounterComparison> all;
  for (const auto& [counter, gpu] : record.counters(one.name)) {
    if (counter == "warp_instructions") continue;  // counts SASS, which PTX cannot
    if (counter.starts_with("l1tex_") && !has_one_warp(one)) continue;
    CounterComparison found{counter, gpu, here[counter], ""};
    if (!difference.is_null() && difference.at("counters").contains(counter) &&
        difference["counters"][counter] == Json::array({found.gpu, found.here})) {
      found.why = record.reasons().at(difference.at("why").get<std::string>());
    }
    all.push_back(std::move(found));
  }
  return all;
}

FusedLoads fuse_loads(const MemoryCounts& memory, const Json& fused,
                      const std::filesystem::path& kernel_file) {
  FusedLoads sum;
  std::vector<bool> used(fused.size());
  std::vector<std::int64_t> lines;
  for (const Json& one : fused) lines.push_back(line_of(kernel_file, one.at("source")));
  for (const MemorySite& site : memory.sites) {
    if (site.operation != "ld.shared") continue;
    const auto index = static_cast<std::size_t>(std::ranges::find(lines, site.line) - lines.begin());
    if (index == lines.size()) {
      sum.instructions += site.executions;
      sum.wavefronts += site.wavefronts;
      continue;
    }
    const Json& one = fused.at(index);
    const std::int64_t in_ptx = one.at("loads").at(0), in_sass = one["loads"].at(1);
    if (site.wavefronts != site.executions * one.at("wavefronts").at(0).get<std::int64_t>() ||
        site.executions % in_ptx != 0) {
      throw std::runtime_error("the loads on line " + std::to_string(site.line) + " take " +
                               std::to_string(site.wavefronts) + " wavefronts in " +
                               std::to_string(site.executions) +
                               " executions, not what h200_differences.json says");
    }
    const std::int64_t executions = site.executions / in_ptx * in_sass;
    sum.instructions += executions;
    sum.wavefronts += executions * one["wavefronts"].at(1).get<std::int64_t>();
    used[index] = true;
  }
  const auto unused = std::ranges::find(used, false);
  if (unused != used.end()) {
    throw std::runtime_error(
        "no load of shared memory has the source '" +
        fused.at(static_cast<std::size_t>(unused - used.begin())).at("source").get<std::string>() +
        "' of h200_differences.json");
  }
  return sum;
}

}  // namespace tilescope::hardware
