// On a GPU: compares flash_scalar over shapes and types with float64, inputs with the host's, occupancy with the
// driver's.
#include <gtest/gtest.h>

#include <cmath>
#include <iostream>

#include "base/json.hpp"
#include "profiler/explanation/occupancy/occupancy.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/measure/gpu/gpu_port.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/measure/tests/gpu_point_fixture.hpp"
#include "profiler/service/requests/compare.hpp"
#include "sessions/compare/comparison.hpp"

namespace tilescope {
namespace {

using test_support::OnAGpu;

TEST_F(OnAGpu, ResultsAgreeWithFloat64OverShapesTypesAndLayouts) {
  const std::vector<Shape> shapes = {
      {1, 8, 8, 512, 512, 64, DataType::fp16, false}, {2, 4, 2, 100, 333, 64, DataType::bf16, true},
      {1, 6, 1, 333, 100, 32, DataType::fp16, true},  {1, 3, 3, 1, 77, 128, DataType::bf16, false},
      {2, 2, 2, 17, 1, 128, DataType::fp16, true},    {1, 1, 1, 1, 1, 32, DataType::fp16, false},
      {1, 4, 4, 129, 257, 64, DataType::fp16, true},
  };
  const std::vector<Configuration> configurations = {
      {},
      {{"BLOCK_M", std::int64_t{128}}, {"BLOCK_N", std::int64_t{16}}, {"NUM_WARPS", std::int64_t{1}}},
      {{"BLOCK_M", std::int64_t{8}}, {"BLOCK_N", std::int64_t{128}}, {"VEC_WIDTH", std::int64_t{1}}},
      {{"BLOCK_M", std::int64_t{16}},
       {"NUM_WARPS", std::int64_t{16}},
       {"SMEM_LAYOUT", std::string("padded")}},
      {{"VEC_WIDTH", std::int64_t{2}}, {"SMEM_LAYOUT", std::string("row_major")}},
      {{"VEC_WIDTH", std::int64_t{4}}, {"BLOCK_N", std::int64_t{32}}},
  };
  for (const Shape& shape : shapes) {
    for (const Configuration& configuration : configurations) {
      experiment.shape = shape;
      experiment.parameters = configuration;
      const Measurement point = measure();
      EXPECT_EQ(point.status, Status::ok)
          << to_string(shape) << " " << to_string(configuration) << ": " << point.reason;
      EXPECT_TRUE(point.latency) << to_string(shape);
    }
  }
}

TEST_F(OnAGpu, OneBinaryInTurnsIsTheSame) {
  if (!service) service = make_measure_service(installation);
  const auto answer = test_support::ask<Compare>(*service, {{experiment, experiment}}, control);
  ASSERT_EQ(answer.status, Status::ok) << answer.reason;
  ASSERT_TRUE(answer.series);
  EXPECT_EQ(compare(answer.a, answer.b, answer.series).verdict, Verdict::same);
}

TEST_F(OnAGpu, ALayoutWithoutConflictsIsFasterInTurns) {
  if (!service) service = make_measure_service(installation);
  Experiment conflicts = experiment;
  conflicts.parameters = {{"SMEM_LAYOUT", std::string("row_major")}};
  const auto answer = test_support::ask<Compare>(*service, {{conflicts, experiment}}, control);
  ASSERT_TRUE(answer.series) << answer.reason;
  const Comparison comparison = compare(answer.a, answer.b, answer.series);
  EXPECT_EQ(comparison.basis, Basis::interleaved);
  EXPECT_EQ(comparison.verdict, Verdict::faster) << comparison.reason;
}

TEST_F(OnAGpu, BaselinesAgreeWithFloat64OverShapesAndTypes) {
  const std::vector<Shape> shapes = {
      {1, 8, 8, 512, 512, 64, DataType::fp16, false}, {1, 8, 8, 512, 512, 64, DataType::fp16, true},
      {2, 4, 2, 130, 264, 64, DataType::bf16, false}, {2, 4, 2, 130, 264, 64, DataType::bf16, true},
      {1, 3, 3, 77, 77, 128, DataType::fp16, true},   {2, 2, 2, 17, 1000, 128, DataType::bf16, false},
      {1, 2, 2, 264, 130, 32, DataType::fp16, true},  {2, 2, 2, 200, 136, 256, DataType::bf16, false},
  };
  for (const char* kernel : {"cublas_unfused", "cudnn_sdpa", "cutlass_gemm"}) {
    experiment.kernel = kernel;
    for (const Shape& shape : shapes) {
      experiment.shape = shape;
      const Measurement point = measure();
      const std::string text = std::string(kernel) + " " + to_string(shape) + ": " + point.reason;
      // A baseline reports shapes that it does not support. A missing library is not a failure of the test.
      if (point.status == Status::invalid_configuration || point.status == Status::unsupported) {
        std::cout << text << '\n';
        EXPECT_FALSE(point.reason.empty());
        continue;
      }
      EXPECT_EQ(point.status, Status::ok) << text;
      EXPECT_TRUE(point.latency) << text;
      EXPECT_NE(point.provenance.library_version, "") << text;
    }
  }
}

TEST_F(OnAGpu, OneFlippedIndexIsAWrongResult) {
  experiment.kernel = changed_copy("KeyTile::index(key, column)", "KeyTile::index(key ^ 1, column)");
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::wrong_result);
  EXPECT_FALSE(point.latency);
  EXPECT_NE(point.reason.find("tolerance"), std::string::npos) << point.reason;
}

TEST_F(OnAGpu, InputsAreTheSameBitsAsTheHosts) {
  const Compiler compile = compiler();
  GpuPort port(host.devices()[0], compile, installation.kernels);
  for (const DataType dtype : {DataType::fp16, DataType::bf16}) {
    Shape shape{2, 4, 2, 100, 60, 64, dtype, false};
    const auto problem = ReferenceCache().get(attention_sizes(shape), 42, [] { return false; });
    port.upload({problem->sizes, problem->seed});
    const reference::AttentionInputs made = port.inputs();
    EXPECT_EQ(made.q, problem->inputs.q);
    EXPECT_EQ(made.k, problem->inputs.k);
    EXPECT_EQ(made.v, problem->inputs.v);
  }
}

// Shapes with grouped heads, ragged edges and, where causal, rows without keys.
const std::vector<Shape> reference_shapes = {
    {1, 8, 8, 512, 512, 64, DataType::fp16, false}, {2, 4, 2, 100, 333, 64, DataType::bf16, true},
    {1, 6, 1, 333, 100, 32, DataType::fp16, true},  {1, 3, 3, 1, 77, 128, DataType::bf16, false},
    {2, 2, 2, 17, 1, 256, DataType::fp16, true},    {1, 2, 2, 130, 70, 96, DataType::fp16, false},
};

TEST_F(OnAGpu, TheDevicesReferenceIsTheHostsToTwelveDigits) {
  const Compiler compile = compiler();
  GpuPort port(host.devices()[0], compile, installation.kernels);
  for (const KernelResult result : {KernelResult::attention, KernelResult::scores}) {
    for (const Shape& shape : reference_shapes) {
      const reference::AttentionSizes sizes = attention_sizes(shape, result);
      SCOPED_TRACE(to_string(shape) + (result == KernelResult::scores ? " scores" : ""));
      port.upload({sizes, 7});
      port.poison();
      ASSERT_TRUE(port.check(CheckedRows::all, control));
      const auto made = port.device_reference();
      ASSERT_TRUE(made);
      const auto wanted = reference::compute_attention(sizes, reference::make_inputs(sizes, 7), sizes.rows());
      ASSERT_EQ(made->rows, wanted.rows);
      ASSERT_EQ(made->output.size(), wanted.output.size());
      double worst = 0;
      for (std::size_t i = 0; i < wanted.output.size(); ++i) {
        worst = std::max(worst, std::abs(made->output[i] - wanted.output[i]));
      }
      EXPECT_LE(worst, 1e-12 * wanted.max_abs_output);
      EXPECT_NEAR(made->max_abs_output, wanted.max_abs_output, 1e-12 * wanted.max_abs_output);
      EXPECT_NEAR(made->plain_max_error, wanted.plain_max_error, 0.1 * wanted.plain_max_error);
    }
  }
}

TEST_F(OnAGpu, TheDevicesComparisonSaysWhatTheHostsDoes) {
  const Compiler compile = compiler();
  const DeviceModel& device = host.devices()[0];
  GpuPort port(device, compile, installation.kernels);
  const auto expect_same = [&](const reference::AttentionSizes& sizes, CheckedRows rows) {
    const auto on_device = port.check(rows, control);
    ASSERT_TRUE(on_device && port.device_reference());
    const ResultCheck on_host = check_result(*port.device_reference(), sizes, port.output());
    EXPECT_EQ(on_device->rows_checked, on_host.rows_checked);
    EXPECT_EQ(std::isnan(on_device->comparison.max_abs), std::isnan(on_host.comparison.max_abs));
    if (!std::isnan(on_host.comparison.max_abs)) {
      EXPECT_EQ(on_device->comparison.max_abs, on_host.comparison.max_abs);
      EXPECT_EQ(on_device->comparison.max_rel, on_host.comparison.max_rel);
    }
    EXPECT_EQ(on_device->comparison.worst_row, on_host.comparison.worst_row);
    EXPECT_EQ(on_device->comparison.worst_column, on_host.comparison.worst_column);
    EXPECT_EQ(on_device->comparison.tolerance, on_host.comparison.tolerance);
    EXPECT_EQ(on_device->is_correct(), on_host.is_correct());
    EXPECT_EQ(on_device->unwritten.count, on_host.unwritten.count);
    EXPECT_EQ(on_device->unwritten.in_part, on_host.unwritten.in_part);
    EXPECT_EQ(on_device->unwritten.first, on_host.unwritten.first);
    EXPECT_EQ(on_device->unwritten.total, on_host.unwritten.total);
  };
  const std::string wrong = changed_copy("KeyTile::index(key, column)", "KeyTile::index(key ^ 1, column)");
  for (const std::string& name : {std::string("flash_scalar"), wrong}) {
    const KernelDeclaration kernel = Catalogue(installation.kernels).find(name);
    const Configuration complete = kernel.complete({});
    for (const Shape& shape : reference_shapes) {
      if (!why_invalid(kernel, complete, shape, device).empty()) continue;
      SCOPED_TRACE(name + " " + to_string(shape));
      Prepared plan{{},
                    kernel,
                    device,
                    complete,
                    compile.compile(kernel, complete, shape, device.arch),
                    launch_geometry(kernel, complete, shape, device),
                    {},
                    {},
                    {}};
      plan.experiment.shape = shape;
      const reference::AttentionSizes sizes = attention_sizes(shape);
      port.upload({sizes, 5});
      port.load(plan);
      port.poison();
      expect_same(sizes, CheckedRows::sample);  // nothing is written
      port.launch(plan);
      expect_same(sizes, CheckedRows::sample);
      expect_same(sizes, CheckedRows::all);
    }
  }
}

TEST_F(OnAGpu, TheHostComputesAReferenceThatTheDeviceDoesNotSupport) {
  const Compiler compile = compiler();
  GpuPort port(host.devices()[0], compile, installation.kernels);
  const reference::AttentionSizes sizes{1, 2, 2, 33, 70, 20, false, reference::Format::fp16};
  port.upload({sizes, 1});
  port.poison();
  const auto checked = port.check(CheckedRows::all, control);
  ASSERT_TRUE(checked);
  EXPECT_FALSE(port.device_reference());
  EXPECT_EQ(checked->rows_checked, 66);
  EXPECT_EQ(checked->unwritten.count, 66);
  EXPECT_FALSE(checked->is_correct());
}

TEST_F(OnAGpu, StagesComeInOrderAndTheLastLatencyIsTheAnswers) {
  std::vector<PartialPoint> parts;
  control.send = [&](const Json& part) { parts.push_back(part.get<PartialPoint>()); };
  service = make_measure_service(installation);
  const Measurement point = test_support::ask<Measure>(*service, {experiment, true}, control);
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  std::vector<PointStage> stages;
  stages.reserve(parts.size());
  for (const PartialPoint& part : parts) stages.push_back(part.stage);
  const std::vector<PointStage> expected{PointStage::judged, PointStage::compiled, PointStage::checked,
                                         PointStage::timed,  PointStage::timed,    PointStage::timed};
  ASSERT_EQ(stages, expected);
  EXPECT_TRUE(parts[3].is_latency_provisional);
  EXPECT_FALSE(parts[4].is_latency_provisional || parts[5].is_latency_provisional);
  EXPECT_FALSE(parts[4].so_far.latency->l2_cold);
  EXPECT_EQ(parts[5].so_far.latency, point.latency);
  EXPECT_NEAR(parts[3].so_far.latency->p50_us, point.latency->p50_us, 0.5 * point.latency->p50_us);
}

// The memory that other programs leave is enough for the reference, not for a second problem.
TEST_F(OnAGpu, WhereMemoryIsShortEarlierProblemsMakeRoom) {
  experiment.shape = {8, 32, 32, 2048, 2048, 128, DataType::fp16, false};
  ASSERT_EQ(measure().status, Status::ok);
  std::optional<cuda::DeviceBuffer> left(std::in_place, std::size_t{256} << 20);
  std::vector<cuda::DeviceBuffer> others;
  for (std::size_t bytes = std::size_t{16} << 30; bytes >= std::size_t{16} << 20;) {
    try {
      others.emplace_back(bytes);
    } catch (const cuda::CudaError&) {
      bytes /= 2;
    }
  }
  left.reset();
  experiment.seed = 2;
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  for (const std::string& note : point.notes) EXPECT_EQ(note.find("on the host"), std::string::npos) << note;
}

TEST_F(OnAGpu, OccupancyIsTheDriversForRegistersSharedMemoryAndThreads) {
  const Compiler compile = compiler();
  const DeviceModel& device = host.devices()[0];
  const KernelDeclaration kernel = Catalogue(installation.kernels).find("flash_scalar");
  const Shape shape;
  for (const Configuration& configuration :
       expand_grid(kernel, {}, {{"BLOCK_M", {}}, {"BLOCK_N", {}}, {"NUM_WARPS", {}}})) {
    if (!why_invalid(kernel, configuration, shape, device).empty()) continue;
    const LaunchGeometry geometry = launch_geometry(kernel, configuration, shape, device);
    const CompiledKernel compiled = compile.compile(kernel, configuration, shape, device.arch);
    cuda::GpuRunner runner(device.ordinal);
    cuda::LoadedKernel loaded(compiled.cubin, kernel.entry);
    loaded.allow_dynamic_shared(static_cast<std::size_t>(geometry.dynamic_shared_bytes));
    EXPECT_EQ(occupancy(device, compiled.resources, geometry).blocks_per_sm, loaded.blocks_per_sm(geometry))
        << to_string(configuration);
    EXPECT_EQ(compiled.resources.registers, loaded.registers());
    EXPECT_EQ(compiled.resources.static_shared_bytes, loaded.static_shared_bytes());
  }
}

// This test is the last one: it poisons the context of the whole process.
TEST_F(OnAGpu, AnIllegalAddressIsALaunchFailureAndTheWorkerSaysThatItIsSpent) {
  experiment.kernel = changed_copy("from_float(tiles.output[row * HEAD_DIM + column] * inverse, o[column]);",
                                   "from_float(1.0f, o[column + (1ll << 40)]);");
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::launch_failed);
  EXPECT_NE(service->why_unusable(), "");
}

}  // namespace
}  // namespace tilescope
