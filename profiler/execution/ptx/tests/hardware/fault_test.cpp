// Every planted fault is found, with its kind and a line of its file; repaired kernels have no findings; and both agree
// with the recorded reports of compute-sanitizer.

#include <algorithm>
#include <map>
#include <set>

#include "profiler/execution/ptx/tests/hardware/compiling_test.hpp"
#include "profiler/execution/ptx/tests/hardware/fault_cases.hpp"
#include "profiler/execution/ptx/tests/hardware/hardware_record.hpp"
#include "profiler/execution/ptx/tests/hardware/interpreter_run.hpp"

namespace tilescope::hardware {
namespace {

std::string text_of(const std::vector<Finding>& findings) {
  std::string text;
  for (const Finding& finding : findings) text += "\n  " + finding.kind + ": " + finding.text;
  return text;
}

class FaultKernels : public CompilingTest {
 protected:
  std::vector<Finding> check(const FaultKernel& kernel, bool planted) {
    const Case one = fault_case(kernel, planted);
    return interpret(one, compiler().ptx(one.kernel), true).traced.findings;
  }
};

TEST_F(FaultKernels, EveryPlantedFaultIsFound) {
  for (const FaultKernel& kernel : fault_kernels()) {
    const std::vector<Finding> findings = check(kernel, true);
    const bool found = std::ranges::any_of(findings, [&](const Finding& finding) {
      return finding.kind == kernel.finding && !finding.lines.empty() && finding.lines.front() > 0 &&
             !finding.text.empty() && finding.occurrences > 0;
    });
    EXPECT_TRUE(found) << kernel.name << " has a planted " << kernel.finding
                       << "; found:" << text_of(findings);
  }
}

TEST_F(FaultKernels, NoRepairedKernelIsAccused) {
  for (const FaultKernel& kernel : fault_kernels()) {
    const std::vector<Finding> findings = check(kernel, false);
    EXPECT_TRUE(findings.empty()) << kernel.name << text_of(findings);
  }
}

// The tool of compute-sanitizer that finds faults of a kind.
const std::map<std::string, std::string> tools = {
    {"race", "racecheck"},      {"early_cp_async_read", "racecheck"}, {"out_of_bounds", "memcheck"},
    {"misaligned", "memcheck"}, {"uninitialised_read", "initcheck"},  {"divergent_barrier", "synccheck"}};

TEST_F(FaultKernels, FaultsAreOnTheLinesThatComputeSanitizerNames) {
  const HardwareRecord record(root());
  for (const FaultKernel& kernel : fault_kernels()) {
    SCOPED_TRACE(kernel.name);
    const Json& reports = record.sanitizer().at(kernel.name).at("fault");
    if (record.missed_by_sanitizer().contains(kernel.name)) {
      EXPECT_TRUE(reports.empty()) << "is said to be missed";
      continue;
    }
    std::set<std::int64_t> here;
    for (const Finding& finding : check(kernel, true)) {
      if (finding.kind == kernel.finding) here.insert(finding.lines.begin(), finding.lines.end());
    }
    ASSERT_TRUE(reports.contains(tools.at(kernel.finding)))
        << "only found here; say why compute-sanitizer misses it";
    EXPECT_EQ(here, reports[tools.at(kernel.finding)].at("lines").get<std::set<std::int64_t>>());
  }
}

TEST_F(FaultKernels, ComputeSanitizerAcceptsTheRepairedKernelsToo) {
  const HardwareRecord record(root());
  EXPECT_EQ(record.sanitizer().size(), fault_kernels().size());
  for (const auto& [name, kinds] : record.sanitizer().items())
    EXPECT_TRUE(kinds.at("repaired").empty()) << name;
}

}  // namespace
}  // namespace tilescope::hardware
