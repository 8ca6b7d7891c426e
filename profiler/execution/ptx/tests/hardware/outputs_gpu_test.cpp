// A GPU and the interpreter execute the same PTX on the same inputs, live.

#include "profiler/execution/ptx/tests/hardware/compiling_test.hpp"
#include "profiler/execution/ptx/tests/hardware/gpu_run.hpp"
#include "profiler/execution/ptx/tests/hardware/interpreter_run.hpp"
#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"

namespace tilescope::hardware {
namespace {

class OnTheGpu : public CompilingTest {
 protected:
  void SetUp() override {
    try {
      gpu_ = std::make_unique<cuda::GpuRunner>(0);
    } catch (const cuda::DriverUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
    CompilingTest::SetUp();
  }

  /// Whether PTX for "sm_89" runs on this GPU, "sm_90a".
  bool can_run(const Case& one) const { return one.kernel.arch.compare(0, 5, gpu_->arch(), 0, 5) <= 0; }

  std::unique_ptr<cuda::GpuRunner> gpu_;
};

TEST_F(OnTheGpu, OutputsAreThoseOfTheInterpreter) {
  int compared = 0;
  for (const Case& one : all_cases(root())) {
    if (!can_run(one)) continue;
    SCOPED_TRACE(one.name);
    const std::string ptx = compiler().ptx(one.kernel);
    const std::vector<std::vector<std::byte>> gpu = run_on_gpu(*gpu_, one, ptx);
    const Interpreted here = interpret(one, ptx);
    for (const Region& region : one.regions) {
      const RegionComparison found =
          compare(region, bytes_of_region(region, here.buffers), bytes_of_region(region, gpu));
      EXPECT_EQ(found.outside, 0U) << region.name << " " << found.first_outside;
      EXPECT_GT(found.compared, 0U);
    }
    ++compared;
  }
  EXPECT_GT(compared, 100);
}

}  // namespace
}  // namespace tilescope::hardware
