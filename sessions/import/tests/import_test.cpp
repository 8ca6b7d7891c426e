#include "sessions/import/import.hpp"

#include "sessions/import/tests/import_fixture.hpp"

namespace tilescope {
namespace {

class Import : public test_support::ImportFixture {};

TEST_F(Import, AFileOfAnUnknownFormatListsTheKnownOnes) {
  for (const char* text : {"", "a,b\n1,2\n", "{\"points\": []}", "[1, 2]"}) {
    const std::string what = complaint(text);
    EXPECT_CONTAINS(what, folder_.string());
    EXPECT_CONTAINS(what, "Nsight Compute CSV");
    EXPECT_CONTAINS(what, "nvbench JSON");
    EXPECT_CONTAINS(what, "Kernel Tuner cache");
  }
}

TEST_F(Import, AFormatThatIsNamedIsNotGuessed) {
  options_.format = ImportFormat::ncu;
  EXPECT_CONTAINS(complaint("a,b\n1,2\n"), "ncu --csv");
  options_.format = ImportFormat::nvbench;
  EXPECT_CONTAINS(complaint("no JSON"), "invalid JSON at line 1, column 2");
  options_.format = ImportFormat::kernel_tuner;
  EXPECT_CONTAINS(complaint("{}"), "/kernel_name: is missing");
}

TEST_F(Import, AMissingFileAndAFolderAreNamed) {
  try {
    import_file(folder_ / "none.csv", options_);
    FAIL();
  } catch (const ImportError& error) {
    EXPECT_CONTAINS(std::string(error.what()), "none.csv: cannot be opened: No such file");
  }
  try {
    import_file(folder_, options_);
    FAIL();
  } catch (const ImportError& error) {
    EXPECT_CONTAINS(std::string(error.what()), "it is a folder");
  }
}

TEST(ImportFormats, HaveNames) {
  for (const ImportFormat format : {ImportFormat::ncu, ImportFormat::nvbench, ImportFormat::kernel_tuner})
    EXPECT_EQ(import_format_from(to_string(format)), format);
  EXPECT_THROW(import_format_from("nsys"), std::invalid_argument);
}

}  // namespace
}  // namespace tilescope
