#include "profiler/kernels/catalogue/catalogue_cache.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

class CatalogueCaching : public testing::Test {
 protected:
  CatalogueCaching()
      : folder(fs::temp_directory_path() / ("tilescope_catalogue_" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  ~CatalogueCaching() override { fs::remove_all(folder); }

  void write(const std::string& name, const std::string& title) const {
    std::ofstream(folder / (name + ".json"))
        << R"({"name": ")" << name << R"(", "role": "baseline", "title": ")" << title
        << R"(", "library": "cudnn", "dtypes": ["fp16"], "parameters": [], "constraints": []})";
  }
  std::vector<std::string> titles() {
    std::vector<std::string> found;
    for (const KernelDeclaration& kernel : cache.read(folder).kernels()) found.push_back(kernel.title);
    for (const BrokenKernel& kernel : cache.read(folder).broken()) found.push_back(kernel.error);
    return found;
  }

  fs::path folder;
  CatalogueCache cache;
};

using Titles = std::vector<std::string>;

TEST_F(CatalogueCaching, SeesEachChangeOfAFile) {
  write("one", "first");
  EXPECT_EQ(titles(), Titles{"first"});
  EXPECT_EQ(titles(), Titles{"first"});
  write("one", "second title");
  EXPECT_EQ(titles(), Titles{"second title"});
  write("two", "third");
  EXPECT_EQ(titles(), (Titles{"second title", "third"}));
  fs::remove(folder / "one.json");
  EXPECT_EQ(titles(), Titles{"third"});
}

TEST_F(CatalogueCaching, SeesAnotherFolder) {
  write("one", "first");
  EXPECT_EQ(titles(), Titles{"first"});
  fs::create_directories(folder / "inner");
  folder /= "inner";
  write("two", "second");
  EXPECT_EQ(titles(), Titles{"second"});
  folder = folder.parent_path();
}

TEST_F(CatalogueCaching, AFolderThatIsNotThereIsAnErrorEachTime) {
  EXPECT_THROW(cache.read(folder / "missing"), DeclarationError);
  EXPECT_THROW(cache.read(folder / "missing"), DeclarationError);
}

}  // namespace
}  // namespace tilescope
