// CUDA C++ in the strings of Python files.
#include "profiler/measure/open/tests/opened_files.hpp"

namespace tilescope {
namespace {

using test_support::says;

class OpenedPythonFiles : public test_support::OpenedFiles {};

TEST_F(OpenedPythonFiles, HaveTheKernelsOfTheirStringsAtTheirLines) {
  OpenFile::Params params;
  params.subject.code = {"/nowhere/model.py",
                         "import torch  # don't\n"
                         "source = r\"\"\"\n"
                         "#include <torch/extension.h>\n"
                         "__global__ void twice(const float* x, float* y, int n) {\n"
                         "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) y[i] = 2 * x[i];\n}\n"
                         "torch::Tensor run(torch::Tensor x) {\n"
                         "  auto y = torch::empty_like(x);\n  int n = x.numel();\n"
                         "  twice<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);\n"
                         "  return y;\n}\n\"\"\"\n"};
  params.chosen = {{"y: expected", "2 * x"}};
  const OpenedPoint point = open(params);
  EXPECT_EQ(point.status, Status::ok) << point.reason;
  EXPECT_EQ(point.kind, "CUDA C++ in a Python file");
  ASSERT_EQ(point.compared.size(), 1u);
  EXPECT_EQ(point.compared[0].wrong, 0u);
  ASSERT_TRUE(point.memory);
  EXPECT_EQ(point.memory->sites.front().line, 6) << "of the Python file";
}

TEST_F(OpenedPythonFiles, WithoutCudaSayWhatToOpen) {
  for (const auto& [text, words] :
       {std::pair{"@triton.jit\ndef add(x): pass\n", "no CUDA C++ in a string"},
        {"s = f\"\"\"__global__ void k() {{ {body} }}\"\"\"\n", "the formatted string of line 1"}}) {
    OpenFile::Params params;
    params.subject.code = {"/nowhere/model.py", text};
    const OpenedPoint point = open(params);
    EXPECT_EQ(point.problem, FileProblem::code);
    EXPECT_TRUE(says(point.reason, words)) << point.reason;
  }
}

}  // namespace
}  // namespace tilescope
