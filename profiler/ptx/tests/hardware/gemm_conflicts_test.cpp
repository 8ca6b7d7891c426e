// The published count of bank conflicts: a half-precision m16n8k16 product of 1024^3 with rows of A of 32 bytes in shared
// memory makes 8192 blocks * 64 steps * 4 = 2,097,152 conflicts of ldmatrix, and none with padded rows.

#include <cmath>

#include "profiler/ptx/tests/hardware/compiling_test.hpp"
#include "profiler/ptx/tests/hardware/interpreter_run.hpp"
#include "profiler/ptx/tests/hardware/recorded_outputs.hpp"

namespace tilescope::hardware {
namespace {

class GemmConflicts : public CompilingTest {
 protected:
  Interpreted run(const Case& one) { return interpret(one, compiler().ptx(one.kernel)); }

  static Case gemm(const std::string& name) {
    for (Case& one : matrix_cases()) {
      if (one.name == name) return std::move(one);
    }
    throw std::logic_error("no case is named '" + name + "'");
  }
};

TEST_F(GemmConflicts, AreThePublishedNumberWithRowsOf32Bytes) {
  const Interpreted result = run(gemm("gemm/1024 rows of 32 bytes"));
  const OperationCost cost = cost_by_operation(result.traced.memory).at("ldmatrix");
  EXPECT_EQ(cost.executions, 8192 * 64 * 2);
  EXPECT_EQ(cost.wavefronts - cost.minimum, 2'097'152);
  EXPECT_EQ(result.traced.memory.shared_conflicts, 2'097'152) << "the stores have none";
}

TEST_F(GemmConflicts, AreNoneWithPaddedRows) {
  const Interpreted result = run(gemm("gemm/1024 padded"));
  EXPECT_EQ(cost_by_operation(result.traced.memory).at("ldmatrix").executions, 8192 * 64 * 2);
  EXPECT_EQ(result.traced.memory.shared_conflicts, 0);
}

// Some elements of both products against float64.
TEST_F(GemmConflicts, TheProductsAreRight) {
  constexpr std::size_t size = 1024;
  for (const char* name : {"gemm/1024 rows of 32 bytes", "gemm/1024 padded"}) {
    const Interpreted result = run(gemm(name));
    const auto value = [&](std::size_t buffer, Element element, std::size_t index) {
      return value_of(element, result.buffers[buffer].data() + index * bytes_of(element));
    };
    for (const std::size_t index : kept_elements(size * size, 128)) {
      const std::size_t row = index / size, column = index % size;
      double sum = 0;
      for (std::size_t k = 0; k < size; ++k) {
        sum += value(0, Element::f16, row * size + k) * value(1, Element::f16, k * size + column);
      }
      const double difference = std::abs(value(2, Element::f32, index) - sum);
      EXPECT_TRUE(difference <= 1e-3)
          << name << ": C[" << row << "][" << column << "] is off by " << difference;
    }
  }
}

}  // namespace
}  // namespace tilescope::hardware
