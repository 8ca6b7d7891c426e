// Launches that a GPU ends: the driver's words, and beside them the line that the interpreter finds. Each fault is in a
// process of its own, in which nothing can run afterwards.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <ostream>

#include "profiler/measure/tests/gpu_point_fixture.hpp"

namespace tilescope {
namespace {

const std::string store = "from_float(tiles.output[row * HEAD_DIM + column] * inverse, o[column]);";

struct GpuFault {
  const char* name;
  std::string from, to;
  const char* kind;   // of the first finding
  const char* words;  // a regular expression for the reason

  friend std::ostream& operator<<(std::ostream& stream, const GpuFault& fault) {
    return stream << fault.name;
  }
};

const std::vector<GpuFault> faults{
    {"IllegalAddress", store, "from_float(1.0f, o[column + (1ll << 40)]);", "out_of_bounds",
     "The GPU ended the launch: .*CUDA_ERROR_ILLEGAL_ADDRESS.*fails as well: Thread .*changed.cu:"},
    {"Misaligned", store, "*reinterpret_cast<unsigned*>(reinterpret_cast<char*>(o + column) + 1) = 1u;",
     "misaligned",
     "The GPU ended the launch: .*CUDA_ERROR_MISALIGNED_ADDRESS.*fails as well: Thread .*changed.cu:"},
    {"Trap", store, "if (row == 3) __trap();", "trap",
     "The GPU ended the launch: .*CUDA_ERROR_.*fails as well: The kernel executed a trap at changed.cu:"},
    {"Assertion", store, "if (row == 5) __assertfail(\"row != 5\", \"changed.cu\", 7u, \"store\", 1);",
     "trap",
     "The GPU ended the launch: .*CUDA_ERROR_ASSERT.*fails as well: Thread .*'row != 5' failed at "
     "changed.cu:"},
    {"BehindSharedMemory", "4*D*BLOCK_M + 8*BLOCK_M", "8*BLOCK_M", "out_of_bounds",
     "The GPU ended the launch: .*CUDA_ERROR_.*fails as well: Thread .*bytes of shared memory"},
};

// GoogleTest runs suites of this name first, before another test poisons the context of the process.
class EndedOnAGpuDeathTest : public test_support::OnAGpu, public ::testing::WithParamInterface<GpuFault> {
 protected:
  // Ends the process: with 0 where the point says what it should.
  [[noreturn]] void measure_and_exit(const GpuFault& fault) {
    experiment.kernel = changed_copy(fault.from, fault.to);
    const Measurement point = measure();
    std::cerr << point.reason << '\n';
    const bool is_explained = !point.findings.empty() && point.findings.front().kind == fault.kind;
    const bool is_advised = point.diagnoses && !point.diagnoses->empty() &&
                            std::ranges::all_of(*point.diagnoses, [](const Diagnosis& diagnosis) {
                              return diagnosis.severity == Severity::fault;
                            });
    const bool is_spent = !service->why_unusable().empty();
    const bool has_ended = point.status == Status::launch_failed;
    TearDown();
    std::_Exit(has_ended && is_explained && is_advised && is_spent ? 0 : 1);
  }
};

TEST_P(EndedOnAGpuDeathTest, NamesTheLineBesideTheDriversWords) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(measure_and_exit(GetParam()), testing::ExitedWithCode(0), GetParam().words);
  // The next worker.
  const Measurement next = measure();
  EXPECT_EQ(next.status, Status::ok) << next.reason;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EndedOnAGpuDeathTest, ::testing::ValuesIn(faults),
                         [](const auto& fault) { return fault.param.name; });

using test_support::OnAGpu;

TEST_F(OnAGpu, TooMuchSharedMemoryIsRefusedBeforeALaunch) {
  experiment.kernel = changed_copy("4*D*BLOCK_M + 8*BLOCK_M", "4*D*BLOCK_M + 8*BLOCK_M + 1048576");
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::invalid_configuration);
  EXPECT_NE(point.reason.find("shared memory"), std::string::npos) << point.reason;
  EXPECT_EQ(service->why_unusable(), "");
}

}  // namespace
}  // namespace tilescope
