// On a GPU: compares flash_scalar over shapes and types with float64, inputs with the host's, occupancy with the
// driver's.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <iostream>

#include "profiler/catalogue/catalogue.hpp"
#include "profiler/catalogue/constraints.hpp"
#include "profiler/measure/device_choice.hpp"
#include "profiler/measure/gpu_host.hpp"
#include "profiler/measure/gpu_port.hpp"
#include "profiler/measure/register_answer.hpp"
#include "profiler/occupancy/occupancy.hpp"
#include "profiler/requests/measure.hpp"
#include "profiler/requests/tests/ask_service.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class OnAGpu : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!host.why_none().empty()) GTEST_SKIP() << host.why_none();
    scratch = fs::temp_directory_path() / ("tilescope_gpu_" + std::to_string(::getpid()));
    fs::create_directories(scratch);
    experiment.kernel = "flash_scalar";
    experiment.timing_budget_s = 0.02;
  }
  void TearDown() override {
    if (!scratch.empty()) fs::remove_all(scratch);
  }

  Measurement measure() {
    if (!service) service = make_measure_service(installation);
    return testing::ask<Measure>(*service, {experiment}, control);
  }
  Compiler compiler() const {
    const NvrtcSearch search{{}, installation.dependencies, host.driver_cuda()};
    return Compiler(Nvrtc::open(search),
                    {installation.kernels, installation.cache, installation.dependencies});
  }
  // A copy of flash_scalar with one place changed.
  std::string changed_copy(const std::string& from, const std::string& to) const {
    std::ifstream stream(installation.kernels / "attention/flash_scalar.cu");
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    EXPECT_NE(text.find(from), std::string::npos) << from;
    text.replace(text.find(from), from.size(), to);
    std::ofstream(scratch / "changed.cu") << text;
    return scratch / "changed.cu";
  }

  Installation installation = find_installation();
  std::vector<DeviceModel> tables = load_device_tables(installation.devices);
  GpuHost host{tables};
  fs::path scratch;
  std::optional<tilescope::Service> service;
  Experiment experiment;
  MeasureControl control{[](RequestProgress) {}, [] { return false; }};
};

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
    port.upload(*problem);
    const reference::AttentionInputs made = port.inputs();
    EXPECT_EQ(made.q, problem->inputs.q);
    EXPECT_EQ(made.k, problem->inputs.k);
    EXPECT_EQ(made.v, problem->inputs.v);
  }
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
    cuda::LaunchShape launch;
    launch.block[0] = static_cast<unsigned>(geometry.threads);
    launch.dynamic_shared_bytes = static_cast<std::size_t>(geometry.dynamic_shared_bytes);
    EXPECT_EQ(occupancy(device, compiled.resources, geometry).blocks_per_sm, loaded.blocks_per_sm(launch))
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
