// Compares tensor-core kernels with float64: every element of a product comes from a fragment of mma, ldmatrix or wmma,
// so that a wrong position shows.

#include <cmath>
#include <cstring>

#include "kernels/device/attention_problem.cuh"
#include "kernels/reference/attention.hpp"
#include "profiler/execution/ptx/tests/hardware/compiling_test.hpp"
#include "profiler/execution/ptx/tests/hardware/interpreter_run.hpp"
#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"

namespace tilescope::hardware {
namespace {

class TensorCores : public CompilingTest {
 protected:
  Interpreted run(const Case& one) { return interpret(one, compiler().ptx(one.kernel)); }
};

/// The square product of a case, some elements of it, inputs as the kernel rounds them.
void expect_product(const Case& one, const Interpreted& result, Element input, double tolerance) {
  const auto size =
      static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(one.regions[0].count))));
  const auto value = [&](std::size_t buffer, Element element, std::size_t index) {
    return value_of(element, result.buffers[buffer].data() + index * bytes_of(element));
  };
  for (const std::size_t index : kept_elements(size * size, 512)) {
    const std::size_t row = index / size, column = index % size;
    double sum = 0;
    for (std::size_t k = 0; k < size; ++k) {
      sum += value(0, input, row * size + k) * value(1, input, k * size + column);
    }
    const double difference = std::abs(value(2, Element::f32, index) - sum);
    ASSERT_TRUE(difference <= tolerance) << "C[" << row << "][" << column << "] is off by " << difference;
  }
}

TEST_F(TensorCores, MultiplyMatrices) {
  for (const Case& one : matrix_cases()) {
    SCOPED_TRACE(one.name);
    const Element input = one.name.starts_with("wmma/tf32")   ? Element::f32
                          : one.name.starts_with("wmma/bf16") ? Element::bf16
                                                              : Element::f16;
    // tf32 keeps 10 bits of each factor: sums of 64 products of about 1, each off by 2^-10 at most.
    expect_product(one, run(one), input, input == Element::f32 ? 3e-2 : 1e-3);
  }
}

reference::AttentionSizes sizes_of(const Case& one) {
  AttentionProblem problem;
  std::memcpy(&problem, one.launch.parameters.data(), sizeof(problem));
  reference::AttentionSizes sizes;
  sizes.B = problem.batches;
  sizes.Hq = problem.query_heads;
  sizes.Hkv = problem.key_heads;
  sizes.Sq = problem.queries;
  sizes.Sk = problem.keys;
  sizes.D = problem.q_strides.row;
  for (const auto& [name, value] : one.kernel.macros) sizes.causal |= name == "CAUSAL" && value == "1";
  sizes.format = one.regions[0].element == Element::bf16 ? reference::Format::bf16 : reference::Format::fp16;
  return sizes;
}

std::vector<std::uint16_t> words_of(const std::vector<std::byte>& bytes) {
  std::vector<std::uint16_t> words(bytes.size() / 2);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

TEST_F(TensorCores, ComputeAttention) {
  int computed = 0;
  for (const Case& one : attention_cases(root())) {
    if (!one.name.starts_with("flash_mma/")) continue;
    SCOPED_TRACE(one.name);
    const Interpreted result = run(one);
    const reference::AttentionSizes sizes = sizes_of(one);
    const reference::AttentionInputs inputs{words_of(result.buffers[0]), words_of(result.buffers[1]),
                                            words_of(result.buffers[2])};
    const reference::Comparison found = reference::compare(reference::compute_attention(sizes, inputs, 256),
                                                           sizes, words_of(result.buffers[3]));
    EXPECT_TRUE(found.within) << "off by " << found.max_abs << " where " << found.tolerance << " is allowed";
    ++computed;
  }
  EXPECT_EQ(computed, 9);
}

}  // namespace
}  // namespace tilescope::hardware
