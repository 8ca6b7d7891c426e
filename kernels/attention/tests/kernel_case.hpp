#pragma once

#include <string>

#include "kernels/attention/tests/attention_float64.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "profiler/compile/compiler.hpp"
#include "profiler/memory/trace_window.hpp"
#include "profiler/ptx/program.hpp"

/// One launch of a kernel of the catalogue in the interpreter, with inputs that the generator of random ones never makes,
/// its O and LSE held against float64.
namespace tilescope {

/// What Q, K and V hold.
enum class Inputs {
  random,    ///< Normal deviates.
  large,     ///< Forty times those in Q and K: scores of thousands, where a row has one weight that is not 0.
  dominant,  ///< One key is thirty times as long as the others.
  equal,     ///< All keys are alike, so all weights of a row are.
  denormal,  ///< Only numbers below the smallest normal one.
  infinite,  ///< Infinite elements in the last three keys: rows that the causal mask hides them from must not notice.
};
std::string to_string(Inputs inputs);

/// How the rows of a tensor lie: [B, H, S, D] contiguous, or [B, S, H, D] with 8 elements of nobody's behind every S, for
/// kernels that take an attention_problem with its strides; what a pointer points to is contiguous.
enum class TensorOrder { heads_first, rows_first };

struct KernelCase {
  const KernelDeclaration& kernel;
  Configuration chosen;  ///< The other parameters have their defaults.
  Shape shape;
  Inputs inputs = Inputs::random;
  TensorOrder order = TensorOrder::heads_first;

  /// "mma_flash BLOCK_M=32 B1 H2 S70 D64 fp16 large [B, S, H, D]"
  std::string name() const;
};

/// A case with memory of its own, ready to be traced once or more.
class CaseLaunch {
 public:
  /// Throws what decoding throws. The case must outlive it.
  CaseLaunch(const KernelCase& one, const CompiledKernel& compiled, const DeviceModel& device);

  /// Runs the grid, or options.blocks of it.
  Traced trace(TraceOptions options);
  /// Runs one block and records which addresses its lanes used.
  RecordedWindow window(TraceWindowOptions options);
  /// The first element that is not what float64 says, in words; "" when all are. After the whole grid ran.
  std::string why_wrong() const;

 private:
  const KernelCase& case_;
  AttentionTensors tensors_;
  std::vector<float> lse_;
  ptx::Program program_;
  ptx::GlobalMemory memory_;
  ptx::Launch launch_;
};

}  // namespace tilescope
