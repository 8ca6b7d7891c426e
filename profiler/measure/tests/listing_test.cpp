#include "profiler/service/requests/listing.hpp"

#include <cstdlib>

#include "profiler/kernels/compile/kernel_source.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

class ListingTest : public test_support::ServiceTest {
 protected:
  Listing::Answer list() const {
    return test_support::ask<Listing>(make_measure_service(installation), {experiment}, control);
  }
};

TEST_F(ListingTest, HasThePtxOfTheConfiguration) {
  const Listing::Answer listing = list();
  ASSERT_EQ(listing.status, Status::ok) << listing.reason;
  EXPECT_NE(listing.ptx.find(".target sm_89"), std::string::npos);
  EXPECT_NE(listing.ptx.find(".visible .entry flash_scalar"), std::string::npos);
  EXPECT_EQ(
      listing.source_sha256,
      read_kernel_source(installation.kernels / "attention/flash_scalar.cu", installation.kernels).sha256);
  experiment.parameters["BLOCK_N"] = std::int64_t{128};
  EXPECT_NE(list().ptx, listing.ptx) << "another configuration is another code";
}

TEST_F(ListingTest, HasTheMachineCodeWithItsPlaces) {
  const Listing::Answer listing = list();
  const MachineCode& code = listing.machine_code;
  ASSERT_EQ(code.why_none, "");
  EXPECT_EQ(code.sha256, measure().resources->sass_sha256);
  EXPECT_EQ(code.program, "nvdisasm 13.5.37");
  ASSERT_GT(code.lines.size(), 200u);
  EXPECT_EQ(code.lines.front().address, 0u);
  std::size_t stores = 0, inlined = 0, labels = 0;
  const std::int64_t store = line_with(flash_scalar(), "__syncthreads();");
  for (const SassLine& line : code.lines) {
    labels += line.is_label();
    if (line.is_label() || line.places == SassLine::no_places) continue;
    const std::vector<CodePlace>& places = code.places.at(line.places);
    ASSERT_FALSE(places.empty());
    EXPECT_EQ(places.back().file, "flash_scalar.cu");
    inlined += places.size() > 1;
    stores += line.text.starts_with("BAR.SYNC") && places.front().line == store;
    EXPECT_GT(line.ptx_line, 0u) << line.text;
  }
  EXPECT_GT(stores, 0u) << "a barrier is on the line of __syncthreads";
  EXPECT_GT(inlined, 0u);
  EXPECT_GT(labels, 0u);
}

TEST_F(ListingTest, HasTheSourceThatWasCompiled) {
  const Listing::Answer listing = list();
  ASSERT_TRUE(listing.source);
  EXPECT_EQ(listing.source->name, "flash_scalar.cu");
  EXPECT_EQ(listing.source->text, flash_scalar());
  experiment.kernel = edited_copy("extern \"C\"", "no such word; extern \"C\"").string();
  const Listing::Answer broken = list();
  ASSERT_TRUE(broken.source) << "also of what does not compile";
  EXPECT_NE(broken.source->text.find("no such word"), std::string::npos);
}

TEST_F(ListingTest, ADeadParameterHasOneHash) {
  experiment.kernel = "dead_knob";
  experiment.parameters = {{"FAULT", "on"}, {"VEC_WIDTH", std::int64_t{8}}};
  const MachineCode wide = list().machine_code;
  experiment.parameters["VEC_WIDTH"] = std::int64_t{2};
  EXPECT_EQ(list().machine_code, wide);
  experiment.parameters["FAULT"] = "off";
  EXPECT_NE(list().machine_code.sha256, wide.sha256);
}

TEST_F(ListingTest, WithoutNvdisasmItSaysHowToGetIt) {
  const std::string path = std::getenv("PATH");
  setenv("PATH", scratch.c_str(), 1);
  const std::filesystem::path downloads = installation.dependencies;
  installation.dependencies = scratch / "downloads";
  std::filesystem::create_directories(installation.dependencies);
  for (const char* name : {"cuda", "cuda12", "cuda13"})
    std::filesystem::create_directory_symlink(downloads / name, installation.dependencies / name);
  const Listing::Answer listing = list();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(listing.status, Status::ok) << listing.reason;
  EXPECT_FALSE(listing.ptx.empty());
  EXPECT_TRUE(listing.machine_code.lines.empty());
  EXPECT_EQ(listing.machine_code.sha256.size(), 64u) << "its hash needs no disassembler";
  EXPECT_NE(listing.machine_code.why_none.find("./tilescope setup"), std::string::npos)
      << listing.machine_code.why_none;
}

TEST_F(ListingTest, TheKernelBesideALibraryIsListedWithoutAGpu) {
  experiment.kernel = "cublas_unfused";
  const Listing::Answer listing = list();
  EXPECT_EQ(listing.status, Status::ok) << listing.reason;
  EXPECT_NE(listing.ptx.find(".entry softmax_rows"), std::string::npos);
  EXPECT_FALSE(listing.machine_code.lines.empty());
}

TEST_F(ListingTest, SaysWhyThereIsNone) {
  experiment.kernel = edited_copy("extern \"C\"", "no such word; extern \"C\"").string();
  const Listing::Answer broken = list();
  EXPECT_EQ(broken.status, Status::compile_failed);
  EXPECT_NE(broken.compiler_log.find("no such word"), std::string::npos) << broken.compiler_log;
  experiment.kernel = "cudnn_sdpa";
  EXPECT_EQ(list().status, Status::unsupported);
  experiment.kernel = "flash_scalar";
  experiment.parameters["NUM_WARPS"] = std::int64_t{3};
  EXPECT_EQ(list().status, Status::invalid_configuration);
}

}  // namespace
}  // namespace tilescope
