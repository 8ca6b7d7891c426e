// CUDA C++ that is run without a compiler's help: NVRTC compiles it.
#include <cstring>

#include "base/json.hpp"
#include "profiler/measure/files/tests/file_service_fixture.hpp"

namespace tilescope {
namespace {

using test_support::says;

class CudaFile : public test_support::FileServiceTest {
 protected:
  static RunFile::Params params_of(const std::string& source) {
    RunFile::Params params;
    params.subject = test_support::subject_of(source, Json::parse(R"({"block": [4], "arguments": [
            {"type": "buffer", "element": "s32", "count": 4, "fill": 0, "name": "out"}, {"type": "s32", "value": 5}]})"));
    params.subject.code.path = "/kernel.cu";
    return params;
  }
};

constexpr const char* add =
    "// .version in a comment\n/* __global__ */\n"
    "template <class T> __device__ T plus(T a, T b) { return a + b; }\n"
    "__global__ void add(int* out, int by) { out[threadIdx.x] = plus<int>(threadIdx.x, by); }\n";

TEST_F(CudaFile, IsExecutedAsPtx) {
  const LaunchedPoint point = run(params_of(add));
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.entry, "_Z3addPii");
  ASSERT_EQ(point.buffers.size(), 1u);
  int values[4];
  ASSERT_EQ(point.buffers[0].contents.size(), sizeof values);
  std::memcpy(values, point.buffers[0].contents.data(), sizeof values);
  EXPECT_EQ(std::vector<int>(values, values + 4), (std::vector<int>{5, 6, 7, 8}));
  ASSERT_FALSE(point.notes.empty());
  EXPECT_TRUE(says(point.notes[0], "Compiled with NVRTC ") && says(point.notes[0], "compute_89"))
      << point.notes[0];
}

TEST_F(CudaFile, IsExecutedAsMachineCodeWhereThatIsAskedFor) {
  RunFile::Params params = params_of(add);
  params.machine_code = true;
  const LaunchedPoint point = run(params);
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  ASSERT_TRUE(point.machine_code);
  EXPECT_FALSE(point.machine_code->instructions.empty());
  ASSERT_TRUE(point.resources);
  EXPECT_GT(point.resources->registers, 0);
}

TEST_F(CudaFile, WithHostCodeNeedsNoNvcc) {
  const LaunchedPoint point = run(params_of(std::string("#include <iostream>\n") + add +
                                            "int main() { add<<<1, 1>>>(nullptr, 1); std::cout << 1; }\n"));
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_TRUE(says(point.notes.at(0), "Compiled with NVRTC ")) << point.notes[0];
  EXPECT_TRUE(says(point.notes.at(0), "Functions of the host were left out.")) << point.notes[0];
}

TEST_F(CudaFile, HasInstancesOfTheTemplatesThatItLaunches) {
  const LaunchedPoint point = run(
      params_of("template <class T, int N> __global__ void add(T* out, T by) { out[threadIdx.x] = N + by; }\n"
                "template <int N> void launch(int* x) { add<int, N><<<1, 4>>>(x, 1); }\n"
                "int main() { launch<7>(nullptr); }\n"));
  ASSERT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.entry, "_Z3addIiLi7EEvPT_S0_");
}

TEST_F(CudaFile, TextThatIsNeitherIsTakenForPtx) {
  const LaunchedPoint point = run(params_of("extern int x;\n"));
  EXPECT_EQ(point.status, Status::compile_failed);
  EXPECT_TRUE(says(point.reason, "expected '.version'")) << point.reason;
}

}  // namespace
}  // namespace tilescope
