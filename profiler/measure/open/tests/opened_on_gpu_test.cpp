// On a GPU: kernels of opened files are launched there with the buffers of the interpreter, compared and timed.
#include <algorithm>
#include <fstream>
#include <iterator>

#include "profiler/measure/tests/gpu_point_fixture.hpp"
#include "profiler/service/requests/open_file.hpp"

namespace tilescope {
namespace {

class OpenedOnAGpu : public test_support::OnAGpu {
 protected:
  OpenedPoint open(const std::string& name, std::map<std::string, std::string> chosen = {}) {
    const std::filesystem::path path = installation.kernels / "foreign" / name;
    std::ifstream file(path, std::ios::binary);
    return open_text(path, std::string(std::istreambuf_iterator<char>(file), {}), std::move(chosen));
  }
  OpenedPoint open_text(const std::filesystem::path& path, const std::string& text,
                        std::map<std::string, std::string> chosen = {}) {
    OpenFile::Params params;
    params.subject.code = {path.string(), text};
    params.chosen = std::move(chosen);
    if (!service) service = make_measure_service(installation);
    return test_support::ask<OpenFile>(*service, params, control);
  }
  static bool has_note(const OpenedPoint& point, const std::string& words) {
    return std::ranges::any_of(
        point.notes, [&](const std::string& note) { return note.find(words) != std::string::npos; });
  }
};

TEST_F(OpenedOnAGpu, TheGalleryIsTimedAndAgreesWithTheInterpreter) {
  for (const char* name : {"gemm.cu", "transpose.cu", "softmax.cu", "layernorm.cu", "add_kernel.ptx"}) {
    const OpenedPoint point = open(name);
    ASSERT_EQ(point.status, Status::unchecked) << name << ": " << point.reason;
    EXPECT_TRUE(point.latency && point.latency->p50_us > 0.5)
        << name << ": " << (point.notes.empty() ? "" : point.notes.back());
    const bool is_whole = point.memory && point.memory->blocks_run == point.memory->blocks_total;
    EXPECT_TRUE(!is_whole || has_note(point, "are as in the interpreter")) << name;
  }
}

TEST_F(OpenedOnAGpu, AFormulaIsHeldAgainstTheGpusResult) {
  const OpenedPoint right = open("gemm.cu", {{"C: expected", "matmul(A[192][96], B[96][160])"}});
  EXPECT_EQ(right.status, Status::ok) << right.reason;
  EXPECT_TRUE(has_note(right, "On the GPU, too"));
}

// A kernel that reads what it does not write differs between the two, and is not timed where it would fault.
TEST_F(OpenedOnAGpu, AFaultIsNotRunThere) {
  const OpenedPoint point = open_text("/nowhere/kernel.cu",
                                      "__global__ void k(float* x, int n) { x[threadIdx.x + n] = 1; }\n"
                                      "int main() { float* x; cudaMalloc(&x, 256); k<<<1, 64>>>(x, 64); }\n");
  EXPECT_FALSE(point.latency);
  EXPECT_TRUE(has_note(point, "It was not run on the GPU")) << point.reason;
}

}  // namespace
}  // namespace tilescope
