// The code of configurations, from the real worker.

#include "app/explorer/code/code_listing.hpp"

#include <gtest/gtest.h>

#include "app/explorer/code/code_difference.hpp"
#include "app/explorer/tests/explorer_driver.hpp"

namespace tilescope {
namespace {

class CodeListingTest : public testing::Test {
 protected:
  CodeListingTest() { start({REAL_WORKER, "worker"}); }

  void start(std::vector<std::string> command) {
    explorer = start_explorer(scratch, std::move(command));
    choose("flash_scalar", {});
  }
  void choose(const std::string& kernel, const Configuration& parameters) {
    Experiment experiment = explorer->selection().experiment();
    experiment.kernel = kernel;
    experiment.parameters = parameters;
    experiment.device = "L4";
    explorer->selection().set_experiment(experiment);
  }
  CodeListing& listing() { return explorer->board().get<CodeListing>(); }
  /// As a panel does, once per frame, until an answer is there.
  bool settle() {
    return wait_for(*explorer, [&] {
      listing().want();
      return !listing().waits();
    });
  }
  SharedMeasurement point_of(const ListedCode& code) const {
    auto point = std::make_shared<Measurement>();
    point->kernel = code.experiment.kernel;
    point->parameters = code.experiment.parameters;
    point->shape = code.experiment.shape;
    point->device = {"L4", "sm_89", false};
    point->provenance.source_sha256 = code.answer.source_sha256;
    return point;
  }

  ScratchFolder scratch;
  std::unique_ptr<Explorer> explorer;
};

TEST_F(CodeListingTest, IsThatUnderTheSlidersAndAskedForOnce) {
  ASSERT_TRUE(settle());
  ASSERT_NE(listing().shown(), nullptr);
  EXPECT_EQ(listing().missing().heading, "");
  EXPECT_NE(listing().shown()->answer.ptx.find("flash_scalar"), std::string::npos);
  const std::uint64_t revision = listing().revision();
  listing().want();
  EXPECT_EQ(listing().revision(), revision);
  EXPECT_FALSE(listing().waits());
}

TEST_F(CodeListingTest, TheNewestConfigurationWinsAndTheFormerStaysUntilThen) {
  ASSERT_TRUE(settle());
  const auto former = listing().shown();
  choose("flash_scalar", {{"BLOCK_M", std::int64_t{64}}});
  listing().want();
  choose("flash_scalar", {{"BLOCK_M", std::int64_t{16}}});
  listing().want();
  EXPECT_TRUE(listing().waits());
  EXPECT_EQ(listing().shown(), former);
  ASSERT_TRUE(settle());
  EXPECT_EQ(listing().shown()->experiment.parameters.at("BLOCK_M"), ParameterValue(std::int64_t{16}));
  EXPECT_NE(listing().shown()->answer.machine_code.sha256, former->answer.machine_code.sha256);
}

TEST_F(CodeListingTest, APointsCodeIsMadeFromItsOwnSource) {
  ASSERT_TRUE(settle());
  // A point of an earlier source, which the session has.
  SourceFile earlier = *listing().shown()->answer.source;
  earlier.text += "// earlier\n";
  auto point = std::make_shared<Measurement>(*point_of(*listing().shown()));
  point->provenance.source_sha256 = "of the earlier source";
  Session session;
  session.title = "earlier";
  session.created_utc = "2026-01-01T00:00:00Z";
  session.sources["of the earlier source"] = earlier;
  session.points = {point};
  SessionWriter(scratch / "earlier.json").write(session);
  ASSERT_TRUE(explorer->points().open_session(scratch / "earlier.json"));
  CodeListing& compared = side_listing(explorer->board(), Side::a);
  const SharedMeasurement opened = explorer->points().list().front();
  ASSERT_TRUE(wait_for(*explorer, [&] {
    compared.want(opened);
    return !compared.waits();
  }));
  ASSERT_NE(compared.shown(), nullptr) << compared.missing().text;
  EXPECT_TRUE(compared.shown()->answer.source->text.ends_with("// earlier\n"));
  EXPECT_EQ(compared.shown()->answer.machine_code.sha256, listing().shown()->answer.machine_code.sha256);
}

TEST_F(CodeListingTest, SaysWhatIsMissing) {
  choose("cudnn_sdpa", {});
  ASSERT_TRUE(settle());
  EXPECT_EQ(listing().shown(), nullptr);
  EXPECT_NE(listing().missing().text.find("cuDNN"), std::string::npos);
  choose("cublas_unfused", {});
  ASSERT_TRUE(settle());
  EXPECT_NE(listing().shown(), nullptr) << "the kernel beside the library has a source";
  start({});
  ASSERT_TRUE(settle());
  EXPECT_NE(listing().missing().text.find("without a worker"), std::string::npos);
}

}  // namespace
}  // namespace tilescope
