#pragma once

#include <memory>
#include <string>

#include "kernels/attention/tests/attention_float64.hpp"
#include "profiler/execution/memory/block_recording.hpp"
#include "profiler/execution/simt/block_stepper.hpp"
#include "profiler/execution/simt/interpreter.hpp"
#include "profiler/execution/simt/program.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/compile/compiler.hpp"

/// Launches a kernel of the catalogue in the interpreter, also with inputs that the random generator never makes, and
/// compares O and LSE with float64.
namespace tilescope {

/// What Q, K and V hold.
enum class Inputs {
  /// Normal deviates.
  random,
  /// Q and K forty times as large: scores of thousands, so that a row has one weight that is not 0.
  large,
  /// One key is thirty times as long as the others.
  dominant,
  /// All keys are equal, and so are all weights of a row.
  equal,
  /// Only subnormal numbers.
  denormal,
  /// Infinite elements in the last three keys. Rows from which the causal mask hides them must not change.
  infinite,
  /// No two elements of Q, K and V are equal, and none is 0: for B 1 and one head, up to 63,486 elements together.
  distinct,
};
std::string to_string(Inputs inputs);

/// The layout of a tensor: [B, H, S, D] contiguous, or [B, S, H, D] with 8 unused elements after every S, for kernels
/// that take an attention_problem with its strides. Memory behind a pointer is contiguous.
enum class TensorOrder { heads_first, rows_first };

struct KernelCase {
  const KernelDeclaration& kernel;
  /// The other parameters have their defaults.
  Configuration chosen;
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
  BlockRecording recording(RecordingOptions options);
  /// Runs the grid block by block, watched by the observer.
  void run(std::unique_ptr<simt::Observer> observer);
  /// Runs one block.
  simt::RunResult run_block(std::uint64_t block, simt::WarpOrder order);
  /// One block, to be stopped anywhere.
  std::unique_ptr<simt::BlockStepper> step(std::uint64_t block, simt::BlockStepper::Limits limits);
  /// May be filled with other inputs before a run.
  AttentionTensors& tensors() { return tensors_; }
  /// Describes the first element that differs from float64; "" when none does. Call it after the whole grid ran.
  std::string why_wrong() const;

 private:
  const KernelCase& case_;
  AttentionTensors tensors_;
  std::vector<float> lse_;
  simt::Program program_;
  simt::GlobalMemory memory_;
  simt::Launch launch_;
};

}  // namespace tilescope
