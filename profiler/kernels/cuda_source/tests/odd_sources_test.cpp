#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>

#include "profiler/kernels/cuda_source/cuda_source.hpp"

namespace tilescope {
namespace {

std::string repeated(const std::string& part, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

void evaluate_all(const CudaSource& source) {
  for (const SourceLaunch& launch : source.launches()) source.evaluate(launch, {}, nullptr);
}

TEST(OddSources, MayBeEmptyOrBinary) {
  EXPECT_TRUE(CudaSource("").kernels().empty());
  EXPECT_EQ(CudaSource("").problem(), "");
  EXPECT_TRUE(CudaSource(std::string(1000, '\0')).kernels().empty());
  std::mt19937 random(1);
  std::string bytes;
  for (int i = 0; i < 20'000; ++i) bytes += static_cast<char>(random() & 0xff);
  EXPECT_TRUE(CudaSource(bytes).launches().empty());
}

TEST(OddSources, WithErrorsKeepTheKernelsAroundThem) {
  const CudaSource source(
      "__global__ void a(int n) { if ( }\n}}\n__global__ void b(int n) {}\nint main() { b<<<2, 3>>>(4; "
      "b<<<5, 6>>>(7); }");
  ASSERT_FALSE(source.kernels().empty());
  EXPECT_EQ(source.kernels().back().name, "b");
  EXPECT_FALSE(source.launches().empty());
}

TEST(OddSources, AreCutAnywhere) {
  const std::string text =
      "#define LAUNCH(B) k<B><<<n / B, B>>>(n)\ntemplate <int N> __global__ void __launch_bounds__(N) "
      "k(const float* x) {}\n"
      "int main(int argc, char** argv) { dim3 g(3, 4); for (int i = 0; i < 3; ++i) { LAUNCH(64); k<3><<<g, "
      "{1, 2}>>>(\"x\"); } }";
  for (std::size_t length = 0; length <= text.size(); ++length) {
    evaluate_all(CudaSource(text.substr(0, length)));
    evaluate_all(CudaSource(text.substr(length)));
  }
}

TEST(OddSources, MayBeDeep) {
  for (const char* part : {"(",
                           "{",
                           "[",
                           "if(x)",
                           "int f(){",
                           "a?",
                           "-",
                           "!",
                           "x=",
                           "<<<",
                           "k<<<",
                           "namespace a{",
                           "#if 1\n",
                           "(int)",
                           "f(",
                           "[&]{",
                           "#define A(",
                           "struct S{",
                           "dim3 g(",
                           "* ",
                           "a::",
                           "template<",
                           "switch(x){case 1:"})
    evaluate_all(CudaSource(repeated(part, 50'000)));
}

TEST(OddSources, WithDeepExpressionsHaveNoValue) {
  for (const auto& [open, close] :
       {std::pair("(", ")"), std::pair("-(", ")"), std::pair("f(", ")"), std::pair("1 + ", "")}) {
    std::string text = "void h() { k<<<", end = ">>>(1); }";
    for (int i = 0; i < 20'000; ++i) text += open;
    text += "1";
    for (int i = 0; i < 20'000 && *close; ++i) text += close;
    const CudaSource source(text + end);
    for (const SourceLaunch& launch : source.launches())
      EXPECT_EQ(source.evaluate(launch, {}, nullptr).grid[0].value, std::nullopt) << open;
  }
}

TEST(OddSources, CannotMakeEvaluationOrExpansionExplode) {
  std::string doubling = "void h() { int x0 = 1;\n";
  for (int i = 1; i < 100; ++i)
    doubling +=
        "int x" + std::to_string(i) + " = x" + std::to_string(i - 1) + " + x" + std::to_string(i - 1) + ";\n";
  evaluate_all(CudaSource(doubling + "k<<<x99, 1>>>(1); }"));
  std::string macros = "#define M0 k<<<1, 1>>>(1);\n";
  for (int i = 1; i < 40; ++i)
    macros +=
        "#define M" + std::to_string(i) + " M" + std::to_string(i - 1) + " M" + std::to_string(i - 1) + "\n";
  evaluate_all(CudaSource(macros + "void h() { M39 M39 }"));
  std::string sums = "#define S0 1\n";
  for (int i = 1; i < 300; ++i)
    sums += "#define S" + std::to_string(i) + " (S" + std::to_string(i - 1) + " + S" + std::to_string(i - 1) +
            ")\n";
  EXPECT_LT(CudaSource(sums).constants().size(), 20u);
  evaluate_all(CudaSource("#define A(x) A(x x) k<<<1, 1>>>(x)\nvoid h() { A(1); A(A(A(1))); }"));
}

TEST(OddSources, CannotMakeBuffersExplode) {
  std::string doubling = "void h() { float* x0; cudaMalloc(&x0, 4);\n";
  for (int i = 1; i < 100; ++i) {
    const std::string before = "x" + std::to_string(i - 1);
    doubling += "float* x" + std::to_string(i) + " = y(" + before + " + " + before + ") + " + before + ";\n";
  }
  evaluate_all(CudaSource(doubling + "k<<<1, 1>>>(x99, x98); }"));
  evaluate_all(
      CudaSource("float* f(float** p) { f(p); g(p); return f(p) + f(p); }\n"
                 "float* g(float** p) { f(p); g(p); return g(p) + f(p); }\n"
                 "void h() { float* d; f(&d); g(&d); k<<<1, 1>>>(d, f(&d)); }"));
  evaluate_all(
      CudaSource("void f(float* p) { p = p + 1; k<<<1, 1>>>(p); f(p); g(p); }\n"
                 "void g(float* p) { p += 1; f(p); k<<<1, 1>>>(p + p); g(p); }"));
  evaluate_all(
      CudaSource("struct S { S s; S a[2]; }; void h() { S* d; cudaMalloc(&d, sizeof(S)); "
                 "k<<<1, 1>>>(d + 1, *d, &d[1], &d, **d, d[1][2]); }"));
  for (const char* part :
       {"cudaMalloc(&p, n); ", "k<<<1, 1>>>(p); ", "f(&p); ", "p = p + 1; ", "p += p; ", "float* p = p; ",
        "cudaMemset(p, 0, n); ", "cudaMalloc((void**)", "&p[", "p->", "torch::zeros_like(", "std::vector<",
        "x.data().", "thrust::device_vector<int> p(p); "}) {
    const std::string many = "void h() { float* p; " + repeated(part, 50'000);
    evaluate_all(CudaSource(many + " k<<<1, 1>>>(p, p + 1, &p[1]); }"));
    evaluate_all(CudaSource("void h() { k<<<1, 1>>>(" + repeated(part, 50'000) + "); }"));
  }
}

TEST(OddSources, OfManyMegabytesAreRefused) {
  const CudaSource source(std::string(20'000'000, '('));
  EXPECT_TRUE(source.kernels().empty());
  EXPECT_EQ(source.problem(), "The file is longer than 8 MB.");
}

}  // namespace
}  // namespace tilescope
