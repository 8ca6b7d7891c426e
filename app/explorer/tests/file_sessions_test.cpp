// Sessions with points of files, which the sliders cannot go to.

#include <gtest/gtest.h>

#include "app/explorer/tests/explorer_driver.hpp"
#include "app/explorer/tests/sample_file_point.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

class FileSessions : public testing::Test {
 protected:
  bool open(const std::vector<SharedMeasurement>& points) {
    Session session;
    session.title = "files";
    session.created_utc = "2026-01-01T00:00:00Z";
    session.points = points;
    const std::filesystem::path file = scratch / "files.json";
    SessionWriter(file).write(session);
    explorer->several_kernels_opened = [this] { ++ladders; };
    explorer->points_of_files_opened = [this] { ++lists; };
    return explorer->points().open_session(file);
  }

  ScratchFolder scratch;
  // Without a worker nothing is measured.
  std::unique_ptr<Explorer> explorer = start_explorer(scratch, {});
  int ladders = 0, lists = 0;
};

TEST_F(FileSessions, OfFilesAloneTheNewestPointIsShownAndTheSlidersStay) {
  const Experiment before = explorer->selection().experiment();
  Measurement other = sample_file_point(16, 512);
  other.kernel = "sum.cu:column_sum";
  ASSERT_TRUE(open({std::make_shared<const Measurement>(other), shared_file_point(32, 512)}));
  ASSERT_TRUE(explorer->shown().point());
  EXPECT_EQ(explorer->shown().point(), explorer->points().list().back());
  EXPECT_EQ(explorer->selection().experiment(), before);
  EXPECT_TRUE(explorer->notices().errors().empty()) << explorer->notices().errors().front();
  EXPECT_EQ(lists, 1);
  EXPECT_EQ(ladders, 0) << "two kernels of files have no ladder";
}

TEST_F(FileSessions, TheSlidersGoToTheNewestPointThatHasSliders) {
  const KernelDeclaration& kernel = explorer->selection().kernel();
  Measurement declared;
  declared.kernel = kernel.name;
  declared.parameters = kernel.complete({{"BLOCK_M", std::int64_t{64}}});
  declared.device = {"L4", "sm_89", false};
  ASSERT_TRUE(open({std::make_shared<const Measurement>(declared), shared_file_point(32, 512)}));
  EXPECT_EQ(explorer->selection().experiment().parameters.at("BLOCK_M"), ParameterValue(std::int64_t{64}));
  EXPECT_EQ(explorer->shown().point(), explorer->points().list().back());
  EXPECT_EQ(lists, 0);
}

TEST_F(FileSessions, APointIsThereOnceAndKeepsTheNamesOfItsValues) {
  Points& points = explorer->points();
  Measurement guessed = sample_file_point(32, 512);
  guessed.parameters.erase("n");
  EXPECT_TRUE(points.add_of_file(std::make_shared<const Measurement>(guessed), {}));
  Measurement again = sample_file_point(32, 512);
  again.provenance.time_utc = "2026-01-02T00:00:00Z";
  EXPECT_FALSE(points.add_of_file(std::make_shared<const Measurement>(again), {}));
  ASSERT_EQ(points.list().size(), 1U);
  EXPECT_TRUE(points.list()[0]->parameters.contains("n")) << "it can be drawn against it";
  EXPECT_FALSE(points.add_of_file(std::make_shared<const Measurement>(guessed), {}));
  EXPECT_TRUE(points.list()[0]->parameters.contains("n"));
  EXPECT_TRUE(points.add_of_file(shared_file_point(32, 1024), {}));
  Measurement filled = sample_file_point(32, 512);
  filled.parameters["x: fill"] = std::string("zeros");
  EXPECT_TRUE(points.add_of_file(std::make_shared<const Measurement>(filled), {})) << "other contents";
  Measurement edited = sample_file_point(32, 512);
  edited.provenance.source_sha256 = "newer";
  EXPECT_TRUE(points.add_of_file(std::make_shared<const Measurement>(edited), {}));
  EXPECT_EQ(points.list().size(), 4U);
}

}  // namespace
}  // namespace tilescope
