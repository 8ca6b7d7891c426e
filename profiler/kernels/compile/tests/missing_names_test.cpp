#include "profiler/kernels/compile/missing_names.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tilescope {
namespace {

std::string missing(const std::string& log) {
  return declarations_of_missing(log, "a.cu");
}

TEST(MissingNames, HandlesOfTheHostsLibrariesAreDeclared) {
  EXPECT_EQ(missing("a.cu(64): error: identifier \"ncclComm_t\" is undefined\n    ncclComm_t comm;\n"),
            "typedef struct ncclComm_t_ *ncclComm_t;\n");
  EXPECT_EQ(missing("a.h(81): error: identifier \"cublasStatus_t\" is undefined\n"),
            "typedef struct cublasStatus_t_ *cublasStatus_t;\n");
  for (const char* name : {"curandState_t", "N", "my_type"})
    EXPECT_EQ(missing("a.cu(1): error: identifier \"" + std::string(name) + "\" is undefined\n"), "")
        << name << " may be of device code: the compiler's error is the answer";
}

TEST(MissingNames, NamespacesOfTheHostAreDeclared) {
  EXPECT_EQ(missing("a.h(31): error: name must be a namespace name\n  namespace gflags = google;\n"),
            "namespace google {}\n");
  for (const auto& [use, declared] :
       {std::pair<std::string, std::string>{"boost::shared_ptr", "namespace boost { template"},
        {"std::fstream", "namespace std { template"}}) {
    const std::string found = missing("a.h(52): error: the name is not there\n  using " + use + ";\n");
    EXPECT_EQ(found.substr(0, declared.size()), declared);
    EXPECT_NE(found.find("class " + use.substr(use.rfind(':') + 1)), std::string::npos) << found;
  }
}

TEST(MissingNames, OperationsThatCubNoLongerHasAreDefined) {
  const std::string defined =
      missing("a.cu(7): error: namespace \"cub\" has no member \"Max\"\n    r.Reduce(x, cub::Max());\n");
  EXPECT_NE(defined.find("namespace cub { struct Max"), std::string::npos) << defined;
  EXPECT_EQ(missing("a.cu(7): error: namespace \"cub\" has no member \"BlockMax\"\n"), "");
}

TEST(MissingNames, FunctionsOfWarpsWithoutAMaskAreDefined) {
  EXPECT_EQ(missing("a.cu(9): error: identifier \"__shfl_xor\" is undefined\n"),
            "template <class T> __device__ inline T __shfl_xor(T value, int lanes, int width = 32) { return "
            "__shfl_xor_sync(__activemask(), value, lanes, width); }\n");
  EXPECT_EQ(
      missing("a.cu(9): error: identifier \"__ballot\" is undefined\n"),
      "__device__ inline unsigned __ballot(int predicate) { return __ballot_sync(__activemask(), predicate); "
      "}\n");
}

TEST(MissingNames, ClassesThatOnlyHeadersNameAreEmpty) {
  EXPECT_EQ(missing("inc/blob.hpp(52): error: identifier \"BlobShape\" is undefined\n"),
            "class BlobShape {};\n");
}

TEST(MissingNames, EachIsDeclaredOnce) {
  const std::string error = "a.cu(64): error: identifier \"ncclComm_t\" is undefined\n";
  EXPECT_EQ(missing(error + error), missing(error));
}

}  // namespace
}  // namespace tilescope
