#include "profiler/requests/listing.hpp"

#include "profiler/compile/kernel_source.hpp"
#include "profiler/measure/tests/service_fixture.hpp"

namespace tilescope {
namespace {

class ListingTest : public testing::ServiceTest {
 protected:
  Listing::Answer list() const {
    return testing::ask<Listing>(make_measure_service(installation), {experiment}, control);
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
