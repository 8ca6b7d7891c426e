#include <gtest/gtest.h>

#include <fstream>

#include "base/atomic_file.hpp"
#include "base/json.hpp"
#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/measure/prepare/carried_kernel.hpp"
#include "profiler/measure/tests/service_fixture.hpp"
#include "profiler/service/requests/devices.hpp"
#include "profiler/service/requests/kernels.hpp"
#include "profiler/service/requests/record_block.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// The contents of a point without a GPU. The GPU's side is tested in gpu_sequence_test and the tests labelled gpu, the
// interpreter's in interpreted_service_test.
using Service = test_support::ServiceTest;

TEST_F(Service, APointWithoutAGpuHasEverythingButALatencyAndSaysSo) {
  experiment.parameters = {
      {"BLOCK_M", std::int64_t{64}}, {"BLOCK_N", std::int64_t{64}}, {"NUM_WARPS", std::int64_t{8}}};
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.device, (DeviceIdentity{"RTX 4090", "sm_89", false}));
  EXPECT_EQ(point.resources->dynamic_shared_bytes, 41472);
  EXPECT_EQ(point.occupancy->blocks_per_sm, 2);
  EXPECT_EQ(point.occupancy->limiter, Limiter::shared_memory);
  EXPECT_FALSE(point.latency);
  ASSERT_FALSE(point.notes.empty());
  EXPECT_NE(point.notes[0].find("No measured latency"), std::string::npos);
  EXPECT_EQ(point.parameters.size(), 7u);
  EXPECT_EQ(point.provenance.source_sha256.size(), 64u);
}

TEST_F(Service, AnIllegalConfigurationHasTheConstraintsWordsAndIsNotCompiled) {
  use_empty_cache();
  experiment.parameters = {{"BLOCK_M", std::int64_t{8}}, {"NUM_WARPS", std::int64_t{16}}};
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::invalid_configuration);
  EXPECT_NE(point.reason.find("BLOCK_M must be a multiple of NUM_WARPS"), std::string::npos);
  EXPECT_FALSE(fs::exists(installation.cache / "binaries"));
}

TEST_F(Service, AKernelThatDoesNotCompileHasTheLogAndTheLine) {
  experiment.kernel = edited_copy("const float base", "const flaot base").string();
  const Measurement point = measure();
  EXPECT_EQ(point.status, Status::compile_failed);
  EXPECT_NE(point.reason.find("const flaot base"), std::string::npos) << point.reason;
  EXPECT_NE(point.compiler_log.find("error"), std::string::npos);
}

TEST_F(Service, ADeclarationThatIsBrokenIsSaidOfItsOwnPointsAlone) {
  const fs::path kernels = scratch / "kernels";
  fs::create_directories(kernels / "attention");
  fs::create_directory_symlink(installation.kernels / "device", kernels / "device");
  fs::copy_file(installation.kernels / "attention/flash_scalar.cu", kernels / "attention/flash_scalar.cu");
  fs::rename(edited_copy(R"("entry": "flash_scalar")", R"("entri": "flash_scalar")"),
             kernels / "attention/mine.cu");
  std::ofstream(kernels / "attention/typo.cu") << "/* tilescope-kernel\n{\"name\" \"typo\"}\n*/\n";
  installation.kernels = kernels;
  EXPECT_EQ(measure().status, Status::ok) << "flash_scalar is as it was";

  experiment.kernel = "mine";
  const Measurement mine = measure();
  EXPECT_EQ(mine.status, Status::invalid_configuration);
  EXPECT_NE(mine.reason.find("2 problems in the declaration"), std::string::npos) << mine.reason;
  EXPECT_NE(mine.reason.find("/entry is missing"), std::string::npos) << mine.reason;
  EXPECT_EQ(mine.device, (DeviceIdentity{"RTX 4090", "sm_89", false})) << "the device is known nevertheless";
  experiment.kernel = "typo";
  EXPECT_NE(measure().reason.find("typo.cu:2: the declaration is not JSON"), std::string::npos);

  const Json listed = test_support::ask<Kernels>(make_measure_service(installation), {}, control).catalogue;
  ASSERT_EQ(listed.at("kernels").size(), 1U);
  ASSERT_EQ(listed.at("broken_kernels").size(), 2U);
  EXPECT_EQ(listed["broken_kernels"][0]["source"], "mine.cu");
  EXPECT_EQ(listed["broken_kernels"][0]["error"], mine.reason);
}

TEST_F(Service, UnknownNamesAndMissingNvrtcAreSentences) {
  experiment.device = "L5";
  EXPECT_NE(measure().reason.find("'L4'"), std::string::npos);
  experiment.device = "L4";
  experiment.kernel = "flash_scalr";
  EXPECT_NE(measure().reason.find("'flash_scalar'"), std::string::npos);
  experiment.kernel = "flash_scalar";
  ::setenv("TILESCOPE_CUDA", "/nowhere", 1);
  const Measurement point = measure();
  ::unsetenv("TILESCOPE_CUDA");
  EXPECT_EQ(point.status, Status::unsupported);
  EXPECT_NE(point.reason.find("/nowhere"), std::string::npos);
}

TEST_F(Service, ALibrarysKernelNeedsAGpuAndSaysSo) {
  for (const char* name : {"cublas_unfused", "cudnn_sdpa"}) {
    experiment.kernel = name;
    const Measurement point = measure();
    EXPECT_EQ(point.status, Status::unsupported);
    EXPECT_NE(point.reason.find("needs a GPU, and this machine has no RTX 4090"), std::string::npos)
        << point.reason;
    EXPECT_FALSE(point.resources || point.occupancy || point.latency || point.memory);
    EXPECT_EQ(trace({}).status, Status::unsupported);
  }
}

// It once reported that a GPU was needed, and with a GPU that there was no PTX to parse. There is nothing to measure in
// either case.
TEST_F(Service, ALibrarysKernelHasNothingToInterpretWhateverTheMachine) {
  control.send = [](const Json&) { FAIL() << "there is no execution to send"; };
  for (const char* name : {"cublas_unfused", "cudnn_sdpa"}) {
    experiment.kernel = name;
    const RecordingSummary recording =
        test_support::ask<RecordBlock>(make_measure_service(installation), {experiment, {}}, control);
    EXPECT_EQ(recording.status, Status::unsupported);
    const Measurement traced = trace({});
    for (const std::string& reason : {recording.reason, traced.reason}) {
      EXPECT_NE(reason.find("there is nothing to interpret. Measure it instead"), std::string::npos)
          << reason;
      EXPECT_EQ(reason.find("needs a GPU"), std::string::npos) << reason;
    }
  }
}

TEST_F(Service, AKernelThatDoesNotCompileNamesItsSource) {
  const auto file = edited_copy("extern \"C\"", "no such word; extern \"C\"");
  experiment.kernel = file.string();
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::compile_failed) << point.reason;
  EXPECT_EQ(point.provenance.source_sha256, read_kernel_source(file, installation.kernels).sha256);
}

TEST_F(Service, TheProductOfCutlassIsCheckedAgainstTheScores) {
  experiment.kernel = "cutlass_gemm";
  const Measurement sample = measure();
  ASSERT_EQ(sample.status, Status::ok) << sample.reason;
  EXPECT_LT(sample.error->rows_checked, sample.error->rows_total);
  EXPECT_EQ(sample.provenance.library_version, "CUTLASS 4.2.0");
  EXPECT_EQ(sample.memory->shared_conflicts, 0);
  // S is written once, in whole sectors: B * Hq * Sq * Sk * 2 B.
  EXPECT_EQ(sample.memory->bytes.at("global_write"), 8 * 512 * 512 * 2);

  experiment.shape = {2, 3, 3, 100, 136, 96, DataType::bf16, false};
  experiment.blocks = {BlockChoice::Kind::all, 0};
  const Measurement whole = measure();
  ASSERT_EQ(whole.status, Status::ok) << whole.reason;
  EXPECT_EQ(whole.error->rows_checked, 600);

  experiment.shape.causal = true;
  EXPECT_EQ(measure().status, Status::invalid_configuration);
}

// A worker that does not see the caller's files gets the source with the experiment.
TEST_F(Service, MeasuresTheSourceThatAnExperimentCarries) {
  const auto edited = edited_copy("\"name\": \"flash_scalar\"", "\"name\": \"flash_edited\"");
  const KernelSource source = read_kernel_source(edited, installation.kernels);
  std::filesystem::remove(edited);
  experiment.kernel = "flash_edited";
  EXPECT_EQ(measure().status, Status::invalid_configuration) << "the worker has no such kernel";
  experiment.source = source.file;
  const Measurement point = measure();
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.provenance.source_sha256, source.sha256);
  EXPECT_TRUE(SourceStore(installation.cache / "sources").find(source.sha256));

  experiment.source->name = "../flash_scalar.cu";
  EXPECT_NE(measure().reason.find("without folders"), std::string::npos);
  experiment.source = source.file;
  experiment.source->text = "no declaration";
  EXPECT_EQ(measure().status, Status::invalid_configuration);
}

// Only the hash of a file outside the kernel's folder goes with the source.
TEST_F(Service, ACarriedSourceSaysWhichHeaderItCameWithout) {
  std::filesystem::create_directories(scratch / "mine");
  std::string text = flash_scalar();
  text.insert(text.find("extern \"C\""), "#include \"../outside.cuh\"\n");
  write("outside.cuh", "#define OUTSIDE 1\n");
  const auto file = write("mine/copy.cu", text);
  experiment.kernel = file.string();
  const Measurement here = measure();
  experiment.source = read_kernel_source(file, installation.kernels).file;
  const Measurement cached = measure();
  std::filesystem::remove_all(installation.cache / "binaries");
  const Measurement elsewhere = measure();
  for (const Measurement* point : {&here, &cached}) {
    ASSERT_EQ(point->status, Status::ok) << point->reason;
    EXPECT_TRUE(std::ranges::any_of(point->notes, [](const std::string& note) {
      return note.find("\"../outside.cuh\"") != std::string::npos;
    }));
  }
  ASSERT_EQ(elsewhere.status, Status::compile_failed) << elsewhere.reason;
  EXPECT_NE(elsewhere.reason.find("carried without the text of \"../outside.cuh\""), std::string::npos)
      << elsewhere.reason;
}

TEST_F(Service, ACarriedSourceIsWrittenWhereItIsNotThere) {
  SourceFile source{"k.cu", flash_scalar(), {{"k.json", "{}"}}};
  const auto keep = [&] {
    // A sidecar that declares nothing: its complaint comes after the files were written.
    EXPECT_THROW(read_carried_kernel(source, installation.cache), DeclarationError);
  };
  keep();
  const std::filesystem::path folder = installation.cache / "carried" / kernel_source_of(source).sha256;
  const auto code = file_stamp(folder / "k.cu"), declaration = file_stamp(folder / "k.json");
  ASSERT_TRUE(code && declaration);
  keep();
  EXPECT_EQ(file_stamp(folder / "k.cu"), code);
  EXPECT_EQ(file_stamp(folder / "k.json"), declaration);
  std::filesystem::remove(folder / "k.json");
  std::ofstream(folder / "k.cu") << std::string(source.text.size(), 'x');
  keep();
  EXPECT_TRUE(file_stamp(folder / "k.json"));
  std::ifstream written(folder / "k.cu");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(written), {}), source.text);
}

TEST_F(Service, ListsDevicesAndKernels) {
  const auto service = make_measure_service(installation);
  EXPECT_EQ(test_support::ask<Kernels>(service, {}, control).catalogue.at("kernels").at(0).at("name"),
            "naive");
  const Devices::Answer devices = test_support::ask<Devices>(service, {}, control);
  EXPECT_EQ(devices.present.empty(), !devices.why_no_gpu.empty());
}

}  // namespace
}  // namespace tilescope
