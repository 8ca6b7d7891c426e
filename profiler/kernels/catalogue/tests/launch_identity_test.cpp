#include "profiler/kernels/catalogue/launch_identity.hpp"

#include <gtest/gtest.h>

namespace tilescope {
namespace {

class LaunchIdentity : public testing::Test {
 protected:
  LaunchIdentity() {
    const std::vector<ParameterValue> values = {std::int64_t{1}, std::int64_t{2}};
    kernel.parameters = {{"N", values, std::int64_t{1}, ""}};
    kernel.grid = {"4", "1", "1"};
    kernel.threads = "32";
    kernel.dynamic_shared_bytes = "0";
    kernel.arguments = {{"pointer", "Q", ""}, {"pointer", "scratch", "64"}, {"int32", "7", ""}};
  }
  bool depends_on_n() const { return of(1) != of(2); }

  KernelDeclaration kernel;

 private:
  std::string of(std::int64_t n) const {
    return launch_identity(kernel, {{"N", ParameterValue(n)}}, Shape{}, DeviceModel{});
  }
};

TEST_F(LaunchIdentity, IsTheSameWhereAParameterChangesNothingOfIt) {
  EXPECT_FALSE(depends_on_n());
}

TEST_F(LaunchIdentity, DependsOnTheGeometryTheScratchMemoryAndTheNumbers) {
  const KernelDeclaration plain = kernel;
  for (std::string* expression :
       {&kernel.grid[0], &kernel.grid[2], &kernel.threads, &kernel.dynamic_shared_bytes, &kernel.block_group,
        &kernel.arguments[1].bytes, &kernel.arguments[2].value}) {
    const std::string before = *expression;
    *expression = "N";
    EXPECT_TRUE(depends_on_n()) << before;
    *expression = before;
  }
  EXPECT_EQ(kernel, plain);
}

TEST_F(LaunchIdentity, OfNumbersHasTheirTypesPrecision) {
  kernel.arguments[2] = {"float64", "1 + N / 100000000000", ""};
  EXPECT_TRUE(depends_on_n());
  kernel.arguments[2].type = "float32";
  EXPECT_FALSE(depends_on_n());
}

}  // namespace
}  // namespace tilescope
