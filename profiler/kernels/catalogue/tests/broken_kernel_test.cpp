// A kernel file that cannot be used does not affect other kernels.

#include <algorithm>

#include "base/json.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/tests/declaration_fixture.hpp"

namespace tilescope {
namespace {

class BrokenKernels : public DeclarationTest {
 protected:
  static std::string named(const std::string& name) {
    return with(R"("name": "one")", R"("name": ")" + name + '"');
  }
  static std::vector<std::string> names(const Catalogue& catalogue) {
    std::vector<std::string> names;
    for (const KernelDeclaration& kernel : catalogue.kernels()) names.push_back(kernel.name);
    return names;
  }
  static std::string why_not_found(const Catalogue& catalogue, const std::string& name) {
    try {
      catalogue.find(name);
    } catch (const DeclarationError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(BrokenKernels, LeaveTheOthersAsTheyAre) {
  write("good.cu", named("good"));
  const auto broken =
      write("mine.cu", with(R"("name": "one", "role": "rung")", R"("name": "my_kernel", "role": "rug")"));
  const auto not_json = write("typo.cu", "/* tilescope-kernel\n{\"name\" \"typo\"}*/");
  write("helper.cu", "__device__ int not_a_kernel;");
  const Catalogue catalogue(folder_);
  EXPECT_EQ(names(catalogue), (std::vector<std::string>{"good"}));
  EXPECT_EQ(catalogue.find("good").name, "good");
  ASSERT_EQ(catalogue.broken().size(), 2U);
  EXPECT_EQ(catalogue.broken()[0], (BrokenKernel{"my_kernel", broken, error_of(broken)}));
  EXPECT_EQ(catalogue.broken()[1], (BrokenKernel{"typo", not_json, error_of(not_json)}));
}

TEST_F(BrokenKernels, AreNotLookedForAmongTestsAndBenchmarks) {
  write("attention/good.cu", named("good"));
  write("attention/tests/own.cu", named("own"));
  write("attention/tests/parts/deeper.cu", "/* tilescope-kernel {");
  write("attention/bench/parts/figures.json", "[]");
  const Catalogue catalogue(folder_);
  EXPECT_EQ(names(catalogue), (std::vector<std::string>{"good"}));
  EXPECT_TRUE(catalogue.broken().empty());
}

TEST_F(BrokenKernels, SayAllThatIsWrongWhenOneIsAskedFor) {
  const auto file =
      write("mine.cu", with(R"("name": "one", "role": "rung")", R"("name": "my_kernel", "rol": "rung")"));
  const Catalogue catalogue(folder_);
  const std::string error = error_of(file);
  EXPECT_NE(error.find("2 problems in the declaration"), std::string::npos) << error;
  for (const std::string& name : {std::string("my_kernel"), std::string("mine"), file.string()})
    EXPECT_EQ(why_not_found(catalogue, name), error) << name;
  try {
    catalogue.find("my_kernl");
    FAIL() << "found";
  } catch (const UnknownName& unknown) {
    EXPECT_NE(std::string(unknown.what()).find("'my_kernel'"), std::string::npos) << unknown.what();
  }
}

TEST_F(BrokenKernels, ACopyThatKeptItsNameDoesNotTakeTheNameFromItsOriginal) {
  const auto original = write("attention/one.cu", named("one")),
             copy = write("attention/a_copy.cu", named("one"));
  const Catalogue catalogue(folder_);
  ASSERT_EQ(catalogue.kernels().size(), 1U);
  EXPECT_EQ(catalogue.find("one").source_path, original);
  ASSERT_EQ(catalogue.broken().size(), 1U);
  EXPECT_EQ(catalogue.broken()[0].source_path, copy);
  EXPECT_EQ(catalogue.broken()[0].error, copy.string() + ": /name: 'one' is also the name of " +
                                             original.string() + ": give each kernel its own name");
  EXPECT_EQ(why_not_found(catalogue, "a_copy"), catalogue.broken()[0].error);
}

TEST_F(BrokenKernels, ANameThatTwoFilesTakeBelongsToNone) {
  write("first.cu", named("same"));
  write("second.cu", named("same"));
  write("other.cu", named("other"));
  const Catalogue catalogue(folder_);
  EXPECT_EQ(names(catalogue), (std::vector<std::string>{"other"}));
  ASSERT_EQ(catalogue.broken().size(), 2U);
  const std::string error = why_not_found(catalogue, "same");
  EXPECT_NE(error.find("first.cu"), std::string::npos) << error;
  EXPECT_NE(error.find("second.cu"), std::string::npos) << error;
}

TEST_F(BrokenKernels, AreListedBesideTheOthersInTheDocument) {
  write("good.cu", named("good"));
  write("mine.cu", with("\"rung\"", "\"rug\""));
  const Catalogue catalogue(folder_);
  const Json document = to_json_document(catalogue);
  ASSERT_EQ(document["kernels"].size(), 1U);
  EXPECT_EQ(document["kernels"][0]["name"], "good");
  EXPECT_EQ(document["broken_kernels"],
            Json::array({{{"name", "one"}, {"source", "mine.cu"}, {"error", catalogue.broken()[0].error}}}));
}

}  // namespace
}  // namespace tilescope
