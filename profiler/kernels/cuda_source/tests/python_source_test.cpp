#include "profiler/kernels/cuda_source/python_source.hpp"

#include <gtest/gtest.h>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {
namespace {

TEST(PythonSource, KeepsDeviceCodeInItsLines) {
  const PythonCuda cuda = cuda_in_python(
      "import torch  # don't\n"
      "name = 'not code'\n"
      "source = r'''\n"
      "__global__ void twice(float* x, int n) {\n"
      "  if (threadIdx.x < n) x[threadIdx.x] *= 2;\n"
      "}\n"
      "'''\n"
      "other = \"__device__ int one() { return 1; }\"\n");
  EXPECT_EQ(
      cuda.text,
      "\n\n\n__global__ void twice(float* x, int n) {\n  if (threadIdx.x < n) x[threadIdx.x] *= 2;\n}\n\n"
      "__device__ int one() { return 1; }\n");
  const CudaSource source(cuda.text);
  ASSERT_EQ(source.kernels().size(), 1u);
  EXPECT_EQ(source.kernels()[0].line, 4);
}

TEST(PythonSource, ReadsEscapesButNotOfRawLiterals) {
  EXPECT_EQ(cuda_in_python(R"(s = """__device__ "\\n" \" \x41""")").text, "__device__ \"\\n\" \" \\x41");
  EXPECT_EQ(cuda_in_python(R"(s = R"""__device__ "\\n" """)").text, "__device__ \"\\\\n\" ");
  EXPECT_EQ(cuda_in_python("s = '''__device__ a \\\nb'''\n").text, "__device__ a \\\nb\n")
      << "C++ joins the lines";
}

TEST(PythonSource, NamesFormattedLiteralsByTheirLines) {
  const PythonCuda cuda =
      cuda_in_python("a = 1\ns = f'''\n__global__ void k() {{ {body} }}\n'''\nt = rF'__device__'\n");
  EXPECT_EQ(cuda.text, "");
  EXPECT_EQ(cuda.formatted_lines, (std::vector<int>{2, 5}));
}

TEST(PythonSource, EndsOnAnyText) {
  for (const char* text : {"", "'", "'''", "s = '__global__", "'''__global__", "\\", "'__device__\\",
                           "\"\"\"\"", "''''''", "b'\\", "#", "rb", "'a\n'__global__'"})
    EXPECT_NO_THROW(cuda_in_python(text)) << text;
  EXPECT_EQ(cuda_in_python("'a\n'__device__'").text, "\n__device__")
      << "a literal that is not closed ends with its line";
}

}  // namespace
}  // namespace tilescope
