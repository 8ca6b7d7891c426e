// The softmax between cuBLAS's two products, in the interpreter: its rows against float64, causal and not, with row
// lengths that are and are not a multiple of a packet.

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "kernels/attention/tests/kernel_test.hpp"
#include "kernels/reference/number_formats.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"

namespace tilescope {
namespace {

struct Rows {
  const char* name;
  std::int64_t rows;  // of several heads, each of `queries`
  int queries;
  int keys;
  DataType dtype;
  bool causal;
};

class SoftmaxRows : public KernelTest, public testing::WithParamInterface<Rows> {
 protected:
  reference::Format format() const {
    return GetParam().dtype == DataType::fp16 ? reference::Format::fp16 : reference::Format::bf16;
  }

  // Scores of every magnitude, among them a row of one value and a row with one score far above the others.
  std::vector<std::uint16_t> scores() const {
    std::vector<std::uint16_t> values(static_cast<std::size_t>(GetParam().rows * GetParam().keys));
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / static_cast<std::size_t>(GetParam().keys);
      double score = 8 * std::sin(static_cast<double>(i) * 0.7);
      if (row == 1) score = 3;
      if (row == 2) score *= 100;
      values[i] = reference::from_float(static_cast<float>(score), format());
    }
    return values;
  }

  // Runs the kernel on `values`, in place.
  void run(std::vector<std::uint16_t>& values) const {
    const KernelDeclaration kernel = catalogue().find("cublas_unfused");
    Shape shape;
    shape.dtype = GetParam().dtype;
    shape.causal = GetParam().causal;
    const simt::Program program =
        ptx::build_program(ptx::parse(compile({kernel, {}, shape}).ptx), kernel.entry);
    simt::GlobalMemory memory;
    const std::uint64_t address = memory.attach("scores", reinterpret_cast<std::byte*>(values.data()),
                                                values.size() * sizeof(values[0]), false);
    simt::Launch launch;
    launch.grid.x = static_cast<std::uint32_t>((GetParam().rows + 3) / 4);
    launch.block.x = 128;
    launch.parameters.resize(24);
    const std::int64_t rows = GetParam().rows;
    std::memcpy(launch.parameters.data(), &address, 8);
    std::memcpy(launch.parameters.data() + 8, &rows, 8);
    std::memcpy(launch.parameters.data() + 16, &GetParam().queries, 4);
    std::memcpy(launch.parameters.data() + 20, &GetParam().keys, 4);
    TraceOptions options;
    options.check = true;
    const Traced traced = trace(program, launch, memory, options);
    ASSERT_FALSE(traced.run.fault) << traced.run.fault->text;
    for (const Finding& finding : traced.findings) ADD_FAILURE() << finding.kind << ": " << finding.text;
  }
};

TEST_P(SoftmaxRows, AreThoseOfFloat64) {
  const Rows& one = GetParam();
  const std::vector<std::uint16_t> before = scores();
  std::vector<std::uint16_t> after = before;
  run(after);
  for (std::int64_t row = 0; row < one.rows; ++row) {
    const std::int64_t limit = row % one.queries + one.keys - one.queries + 1;
    const std::int64_t visible = one.causal ? std::clamp<std::int64_t>(limit, 0, one.keys) : one.keys;
    const auto at = [&](const std::vector<std::uint16_t>& values, std::int64_t key) {
      return static_cast<double>(
          reference::to_float(values[static_cast<std::size_t>(row * one.keys + key)], format()));
    };
    double largest = -std::numeric_limits<double>::infinity(), sum = 0;
    for (std::int64_t key = 0; key < visible; ++key) largest = std::max(largest, at(before, key));
    for (std::int64_t key = 0; key < visible; ++key) sum += std::exp(at(before, key) - largest);
    for (std::int64_t key = 0; key < one.keys; ++key) {
      const double expected = key < visible ? std::exp(at(before, key) - largest) / sum : 0;
      // One rounding to 16 bits, and the error of exp in float.
      const double allowed = expected * (reference::rounding_unit(format()) + 1e-5) + 6e-8;
      ASSERT_NEAR(at(after, key), expected, allowed) << "row " << row << ", key " << key;
    }
  }
}

TEST_P(SoftmaxRows, CompileForEveryArchitectureWithoutSpills) {
  const KernelDeclaration kernel = catalogue().find("cublas_unfused");
  Shape shape;
  shape.dtype = GetParam().dtype;
  shape.causal = GetParam().causal;
  for (const char* arch : {"sm_80", "sm_86", "sm_89", "sm_90a"}) {
    EXPECT_EQ(compile({kernel, {}, shape}, arch).resources.spill_bytes, 0) << arch;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, SoftmaxRows,
                         testing::Values(Rows{"whole_packets", 6, 3, 512, DataType::fp16, false},
                                         Rows{"odd_length", 7, 7, 333, DataType::fp16, false},
                                         Rows{"causal_packets", 24, 12, 264, DataType::bf16, true},
                                         Rows{"causal_odd", 10, 5, 37, DataType::bf16, true},
                                         Rows{"rows_without_keys", 18, 9, 5, DataType::fp16, true},
                                         Rows{"one_key", 5, 5, 1, DataType::fp16, false}),
                         [](const auto& one) { return std::string(one.param.name); });

}  // namespace
}  // namespace tilescope
