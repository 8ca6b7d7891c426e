// Every planted fault is found, with its kind and a line of its file, and no repaired kernel is accused of anything.

#include <algorithm>

#include "profiler/ptx/tests/hardware/compiling_test.hpp"
#include "profiler/ptx/tests/hardware/fault_cases.hpp"
#include "profiler/ptx/tests/hardware/interpreter_run.hpp"

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

}  // namespace
}  // namespace tilescope::hardware
