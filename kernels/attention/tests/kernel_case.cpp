#include "kernels/attention/tests/kernel_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>

#include "kernels/device/attention_problem.cuh"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/measure/interpret/interpreted_launch.hpp"
#include "profiler/measure/prepare/kernel_arguments.hpp"

namespace tilescope {
namespace {

using reference::Format;

constexpr std::int64_t hidden_keys = 3;

float smallest_denormal(Format format) {
  return format == Format::fp16 ? 0x1p-24f : 0x1p-133f;
}

// An element of the case's inputs: its row (key or query) and column, and a normal deviate.
float query_value(Inputs inputs, Format format, float deviate) {
  if (inputs == Inputs::large) return 40 * deviate;
  if (inputs == Inputs::denormal) return std::round(8 * deviate) * smallest_denormal(format);
  return deviate;
}

float key_value(Inputs inputs, Format format, std::int64_t row, std::int64_t rows, std::int64_t column,
                float deviate) {
  switch (inputs) {
    case Inputs::equal:
      return 0.25F * static_cast<float>(column % 5);
    case Inputs::dominant:
      return row == rows / 3 ? 30 * deviate : deviate;
    case Inputs::infinite:
      if (row >= rows - hidden_keys) return column % 2 == 0 ? -INFINITY : INFINITY;
      return deviate;
    default:
      return query_value(inputs, format, deviate);
  }
}

float value_value(Inputs inputs, Format format, float deviate) {
  return inputs == Inputs::denormal ? std::round(40 * deviate) * smallest_denormal(format) : deviate;
}

bool writes_lse(const KernelDeclaration& kernel) {
  return kernel.takes_attention_problem() ||
         std::any_of(kernel.arguments.begin(), kernel.arguments.end(),
                     [](const ArgumentDeclaration& argument) { return argument.value == "LSE"; });
}

// All finite values but 0, one after the other.
void fill_distinct(AttentionTensors& tensors) {
  constexpr std::uint16_t end = 0x7c00;  // infinity in fp16, finite in bf16
  std::uint16_t bits = 0;
  const auto next = [&](std::int64_t, std::int64_t) {
    if ((++bits & 0x7fff) == end) bits = 0x8001;
    return reference::to_float(bits, tensors.q.format);
  };
  for (StridedTensor* tensor : {&tensors.q, &tensors.k, &tensors.v}) tensor->fill(next);
}

AttentionTensors make_tensors(const KernelCase& one) {
  // Pointers carry no strides: the memory behind them is contiguous.
  const bool has_strides = one.kernel.takes_attention_problem();
  AttentionTensors tensors(one.shape, has_strides && one.order == TensorOrder::rows_first);
  if (one.inputs == Inputs::distinct) {
    fill_distinct(tensors);
    return tensors;
  }
  std::mt19937 generator(5);
  std::normal_distribution<float> normal;
  const Format format = tensors.q.format;
  tensors.q.fill(
      [&](std::int64_t, std::int64_t) { return query_value(one.inputs, format, normal(generator)); });
  tensors.k.fill([&](std::int64_t row, std::int64_t column) {
    return key_value(one.inputs, format, row, one.shape.Sk, column, normal(generator));
  });
  tensors.v.fill(
      [&](std::int64_t, std::int64_t) { return value_value(one.inputs, format, normal(generator)); });
  return tensors;
}

// The parameters of the launch; Q, K, V and O lie as the tensors' strides say.
std::vector<std::byte> parameters_of(const KernelCase& one, const Configuration& complete,
                                     const DeviceModel& device, const simt::Program& program,
                                     const TensorAddresses& addresses, const AttentionTensors& tensors) {
  auto arguments = kernel_arguments(one.kernel, complete, one.shape, device, addresses);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (one.kernel.arguments[i].type != "attention_problem") continue;
    AttentionProblem problem{};
    std::memcpy(&problem, arguments[i].data(), sizeof problem);
    problem.q_strides = tensors.q.strides;
    problem.k_strides = tensors.k.strides;
    problem.v_strides = tensors.v.strides;
    problem.o_strides = tensors.o.strides;
    std::memcpy(arguments[i].data(), &problem, sizeof problem);
  }
  return parameter_bytes(program, one.kernel, arguments);
}

std::uint64_t attach(simt::GlobalMemory& memory, const char* name, std::vector<std::uint16_t>& elements,
                     bool read_only) {
  return memory.attach(name, reinterpret_cast<std::byte*>(elements.data()), elements.size() * 2, read_only);
}

}  // namespace

std::string to_string(Inputs inputs) {
  switch (inputs) {
    case Inputs::random:
      return "random";
    case Inputs::large:
      return "large";
    case Inputs::dominant:
      return "dominant";
    case Inputs::equal:
      return "equal";
    case Inputs::denormal:
      return "denormal";
    case Inputs::infinite:
      return "infinite";
    case Inputs::distinct:
      return "distinct";
  }
  return "";
}

std::string KernelCase::name() const {
  std::string text = kernel.name + " " + to_string(chosen) + " " + to_string(shape) + " " + to_string(inputs);
  return order == TensorOrder::rows_first ? text + " [B, S, H, D]" : text;
}

CaseLaunch::CaseLaunch(const KernelCase& one, const CompiledKernel& compiled, const DeviceModel& device)
    : case_(one),
      tensors_(make_tensors(one)),
      lse_(static_cast<std::size_t>(one.shape.B * one.shape.Hq * one.shape.Sq), NAN),
      program_(ptx::build_program(ptx::parse(compiled.ptx), one.kernel.entry)) {
  const Configuration complete = one.kernel.complete(one.chosen);
  TensorAddresses addresses;
  addresses.q = attach(memory_, "Q", tensors_.q.elements, true);
  addresses.k = attach(memory_, "K", tensors_.k.elements, true);
  addresses.v = attach(memory_, "V", tensors_.v.elements, true);
  addresses.o = attach(memory_, "O", tensors_.o.elements, false);
  addresses.lse =
      memory_.attach("LSE", reinterpret_cast<std::byte*>(lse_.data()), lse_.size() * sizeof(float), false);
  for (const std::int64_t bytes : scratch_bytes(one.kernel, complete, one.shape, device)) {
    addresses.scratch.push_back(memory_.allocate("scratch", static_cast<std::uint64_t>(bytes)));
  }
  const LaunchGeometry geometry = launch_geometry(one.kernel, complete, one.shape, device);
  launch_.grid = {static_cast<std::uint32_t>(geometry.grid_x), static_cast<std::uint32_t>(geometry.grid_y),
                  static_cast<std::uint32_t>(geometry.grid_z)};
  launch_.block.x = static_cast<std::uint32_t>(geometry.threads);
  launch_.dynamic_shared_bytes = static_cast<std::uint32_t>(geometry.dynamic_shared_bytes);
  launch_.parameters = parameters_of(one, complete, device, program_, addresses, tensors_);
}

Traced CaseLaunch::trace(TraceOptions options) {
  options.main_file = case_.kernel.source_path.filename().string();
  return tilescope::trace(program_, launch_, memory_, options);
}

BlockRecording CaseLaunch::recording(RecordingOptions options) {
  options.main_file = case_.kernel.source_path.filename().string();
  return record_block(program_, launch_, memory_, options);
}

void CaseLaunch::run(std::unique_ptr<simt::Observer> observer) {
  simt::RunOptions options;
  options.host_threads = 1;
  options.make_observer = [&] { return std::move(observer); };
  simt::run(program_, launch_, memory_, options);
}

simt::RunResult CaseLaunch::run_block(std::uint64_t block, simt::WarpOrder order) {
  simt::RunOptions options;
  options.blocks = {block};
  options.warp_order = order;
  return simt::run(program_, launch_, memory_, options);
}

std::unique_ptr<simt::BlockStepper> CaseLaunch::step(std::uint64_t block, simt::BlockStepper::Limits limits) {
  auto stepper = std::make_unique<simt::BlockStepper>(program_, launch_, memory_, block, limits);
  stepper->record();
  return stepper;
}

std::string CaseLaunch::why_wrong() const {
  const bool hides = case_.inputs == Inputs::infinite, is_denormal = case_.inputs == Inputs::denormal;
  return tilescope::why_wrong(case_.shape, tensors_, writes_lse(case_.kernel) ? lse_ : std::vector<float>(),
                              hides ? hidden_keys : 0,
                              is_denormal ? smallest_denormal(tensors_.q.format) : 0);
}

}  // namespace tilescope
