#include <algorithm>
#include <cstring>
#include <iostream>
#include <utility>
#include <vector>

#include "kernels/reference/attention.hpp"
#include "profiler/gpu/baselines/cudnn_attention.hpp"
#include "profiler/gpu/cuda/tests/gpu_fixture.hpp"

namespace tilescope {
namespace {

/// No size is a multiple of a tile; more keys than queries, two query heads for each key head.
Shape ragged(DataType dtype, bool causal) {
  return {.B = 2, .Hq = 4, .Hkv = 2, .Sq = 70, .Sk = 130, .D = 64, .dtype = dtype, .causal = causal};
}

reference::AttentionSizes sizes_of(const Shape& shape) {
  reference::AttentionSizes sizes;
  sizes.B = shape.B;
  sizes.Hq = shape.Hq;
  sizes.Hkv = shape.Hkv;
  sizes.Sq = shape.Sq;
  sizes.Sk = shape.Sk;
  sizes.D = shape.D;
  sizes.causal = shape.causal;
  sizes.format = shape.dtype == DataType::fp16 ? reference::Format::fp16 : reference::Format::bf16;
  return sizes;
}

/// One shape on the device, with its float64 result.
class Problem {
 public:
  Problem(const cuda::GpuRunner& gpu, const Shape& shape)
      : gpu_(gpu), sizes_(sizes_of(shape)), inputs_(reference::make_inputs(sizes_, 1)) {
    reference_ = reference::compute_attention(sizes_, inputs_, most_rows);
    q_ = gpu_.upload(std::as_bytes(std::span(inputs_.q)));
    k_ = gpu_.upload(std::as_bytes(std::span(inputs_.k)));
    v_ = gpu_.upload(std::as_bytes(std::span(inputs_.v)));
    o_ = gpu_.allocate(sizeof(std::uint16_t) * static_cast<std::size_t>(sizes_.result_elements()));
  }

  /// The workspace that a library needs.
  void prepare(const LibraryAttention& attention) {
    workspace_ = gpu_.allocate(std::max<std::size_t>(attention.workspace_bytes(), 256));
    poison();
  }
  /// Fills workspace and output with NaN: neither may be read before it is written.
  void poison() {
    gpu_.poison(workspace_);
    gpu_.poison(o_);
  }
  void enqueue(LibraryAttention& attention) {
    attention.enqueue(gpu_.stream().get(), {q_.get(), k_.get(), v_.get(), o_.get()}, workspace_.get());
  }
  reference::Comparison compare() const {
    gpu_.synchronize();
    const std::vector<std::byte> bytes = gpu_.download(o_);
    std::vector<std::uint16_t> output(bytes.size() / sizeof(std::uint16_t));
    std::memcpy(output.data(), bytes.data(), bytes.size());
    return reference::compare(reference_, sizes_, output);
  }

 private:
  static constexpr std::int64_t most_rows = 600;  // All rows of the ragged shape, a sample of the others.

  const cuda::GpuRunner& gpu_;
  reference::AttentionSizes sizes_;
  reference::AttentionInputs inputs_;
  reference::AttentionReference reference_;
  cuda::DeviceBuffer q_, k_, v_, o_, workspace_;
};

/// A GPU, NVRTC for cuDNN to compile with, and cuDNN.
class CudnnAttentionGpu : public cuda::GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    try {
      std::cout << open_cudnn_attention(Shape{})->version() << '\n';
    } catch (const LibraryUnavailable& unavailable) {
      GTEST_SKIP() << unavailable.what();
    }
  }
};

void expect_within(const reference::Comparison& comparison, const Shape& shape, const char* how) {
  EXPECT_TRUE(comparison.within) << to_string(shape) << ", " << how << ": error " << comparison.max_abs
                                 << " of " << comparison.tolerance << " in row " << comparison.worst_row
                                 << ", column " << comparison.worst_column;
}

TEST_F(CudnnAttentionGpu, AgreesWithFloat64) {
  for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
    for (const bool causal : {false, true}) {
      const Shape shape = ragged(dtype, causal);
      const auto attention = open_cudnn_attention(shape);
      Problem problem(gpu(), shape);
      problem.prepare(*attention);
      problem.enqueue(*attention);
      expect_within(problem.compare(), shape, "enqueued");
    }
  }
}

TEST_F(CudnnAttentionGpu, AgreesWhenAGraphReplaysIt) {
  for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
    for (const bool causal : {false, true}) {
      const Shape shape = ragged(dtype, causal);
      const auto attention = open_cudnn_attention(shape);
      Problem problem(gpu(), shape);
      problem.prepare(*attention);
      // The very first call: everything that it loads or allocates must already exist.
      const auto graph = cuda::GraphExec::capture(gpu().stream(), [&] {
        problem.enqueue(*attention);
        problem.enqueue(*attention);
      });
      for (int replay = 0; replay < 2; ++replay) {
        problem.poison();
        graph.launch(gpu().stream());
        expect_within(problem.compare(), shape, "replayed by a graph");
      }
    }
  }
}

TEST_F(CudnnAttentionGpu, AgreesAtTheCanonicalShapes) {
  for (const auto& [B, H] : {std::pair{1, 8}, {4, 16}, {8, 16}}) {
    for (const bool causal : {false, true}) {
      const Shape shape{.B = B, .Hq = H, .Hkv = H, .Sq = 512, .Sk = 512, .D = 64, .causal = causal};
      const auto attention = open_cudnn_attention(shape);
      std::cout << to_string(shape) << ": workspace " << attention->workspace_bytes() << " B\n";
      Problem problem(gpu(), shape);
      problem.prepare(*attention);
      problem.enqueue(*attention);
      expect_within(problem.compare(), shape, "enqueued");
    }
  }
}

}  // namespace
}  // namespace tilescope
