#include "profiler/kernels/cuda_source/tests/launch_fixture.hpp"

namespace tilescope {
namespace {

TEST(AskedValues, AreThoseThatTheFileLacks) {
  const FirstLaunch first("void f(torch::Tensor x, const int n) { int m = x.size(0); k<<<m, n>>>(HEADER); }",
                          {}, {{"x.size(0)", 12}, {"n", 64}, {"HEADER", 5}});
  EXPECT_EQ(first.grid() + " " + first.block(), "12x1x1 64x1x1");
  EXPECT_EQ(first.values.arguments[0].value, 5);
  EXPECT_EQ(first.asked, (std::map<std::string, std::string>{
                             {"x.size(0)", "torch::Tensor"}, {"n", "const int"}, {"HEADER", ""}}));
}

TEST(AskedValues, HaveTheirDeclaredType) {
  EXPECT_EQ(FirstLaunch("void f(int n) { k<<<n, 1>>>(n); }", {}, {{"n", 3.7}}).grid(), "3x1x1");
}

TEST(AskedValues, AreListedWhereThereAreNone) {
  const FirstLaunch first(
      "void f(torch::Tensor x, int n) { int m = x.size(0) + n; dim3 g(m, n); k<<<g, 1>>>(n); }");
  EXPECT_EQ(first.grid(), "?x?x1");
  EXPECT_EQ(first.values.grid[0].unknown, (std::vector<std::string>{"x.size(0)", "n"}));
  EXPECT_EQ(first.values.grid[1].unknown, (std::vector<std::string>{"n"}));
  EXPECT_TRUE(first.values.grid[2].unknown.empty());
}

std::string grid_of(const std::string& condition, double n, const std::string& otherwise = "") {
  return FirstLaunch(
             "__global__ void k(int n) {}\nconst int most = 64;\nvoid run(int n, Tensor x) {\n  if (" +
                 condition + ") {\n" + (otherwise.empty() ? "    k<<<n, 1>>>(n);\n" : "    return;\n") +
                 "  } else {\n    " + otherwise + "\n  }\n}\n",
             {}, {{"n", n}, {"x.numel()", n}})
      .grid();
}

TEST(AskedValues, AreWithinTheConditionsAroundTheLaunch) {
  EXPECT_EQ(grid_of("n <= most", 256), "64x1x1");
  EXPECT_EQ(grid_of("n <= most", 32), "32x1x1");
  EXPECT_EQ(grid_of("other && (most > n)", 256), "32x1x1");
  EXPECT_EQ(grid_of("n > 1024", 256), "2048x1x1");
  EXPECT_EQ(grid_of("n >= 1000", 256), "1000x1x1");
  EXPECT_EQ(grid_of("other || n < 100", 256), "256x1x1") << "the other one may hold";
  EXPECT_EQ(grid_of("n > 100 || other", 256, "k<<<n, 1>>>(n);"), "100x1x1");
  EXPECT_EQ(grid_of("!(n < 1024)", 256, "k<<<n, 1>>>(n);"), "256x1x1");
  EXPECT_EQ(grid_of("x.numel() <= 128", 256, ""), "256x1x1") << "n is another number";
  EXPECT_EQ(grid_of("x.numel() > 128", 256, "k<<<x.numel(), 1>>>(n);"), "128x1x1");
  EXPECT_EQ(grid_of("n < x.numel()", 256), "256x1x1") << "neither is the file's";
}

TEST(ChosenValues, PrecedeThoseOfTheFile) {
  const std::string text = in_main("const int n = 1024; int t = 256; dim3 g(n / t, 2); k<<<g, t>>>(n);");
  EXPECT_EQ(FirstLaunch(text).grid(), "4x2x1");
  EXPECT_EQ(FirstLaunch(text, {{"n", 2048}}).grid(), "8x2x1");
  EXPECT_EQ(FirstLaunch(text, {{"t", 128}}).block(), "128x1x1");
  EXPECT_EQ(FirstLaunch(text, {{"g.y", 5}}).grid(), "4x5x1");
  EXPECT_EQ(FirstLaunch("#define N 8\nvoid f() { k<<<N, 1>>>(1); }", {{"N", 9}}).grid(), "9x1x1");
  EXPECT_EQ(FirstLaunch("void f(torch::Tensor x) { k<<<x.size(1), 1>>>(1); }", {{"x.size(1)", 9}}).grid(),
            "9x1x1");
  EXPECT_EQ(
      FirstLaunch("template <int B> void f() { k<<<B, 1>>>(1); }\nvoid g() { f<4>(); }", {{"B", 9}}).grid(),
      "9x1x1");
  EXPECT_EQ(CudaSource("#define N 8\n").evaluate_constant("N * 2", {{"N", 3}}).value, 6);
}

TEST(Reasons, NameTheLineAndTheValues) {
  const std::string text = in_main(
      "int N = 4096;\n#define T 256\nk<<<(N + 255) / T, T>>>(N);\nint blocks = N / T;\ndim3 g(blocks, "
      "N);\nk<<<g, blocks>>>(N);");
  const CudaSource source(text);
  const EvaluatedLaunch first = source.evaluate(source.launches()[0], {}, nullptr);
  EXPECT_EQ(first.grid[0].reason,
            "from the launch in line 5: (N + 255) / T with N = 4096 (line 3), T = 256 (line 4)");
  EXPECT_EQ(first.grid[1].reason, "from the launch in line 5: 1, since (N + 255) / T does not give y");
  EXPECT_EQ(first.arguments[0].reason, "from the launch in line 5: N = 4096 (line 3)");
  EXPECT_EQ(first.shared.reason, "from the launch in line 5, which gives no dynamic shared memory");
  const EvaluatedLaunch second = source.evaluate(source.launches()[1], {{"N", 512}}, nullptr);
  EXPECT_EQ(second.grid[0].reason,
            "from the launch in line 8: g.x = blocks (line 7) with blocks = 2 (line 6), N = 512 (chosen), T "
            "= 256 (line 4)");
  EXPECT_EQ(second.grid[2].reason, "from the launch in line 8: g.z = 1 by default (line 7)");
}

TEST(Reasons, NameCallsAndDefaultsAndWhatIsMissing) {
  const auto reason = [](const std::string& text) {
    return FirstLaunch(text, {}, {{"m", 7}}).values.grid[0].reason;
  };
  EXPECT_EQ(reason("void f(int n) { k<<<n * 2, 1>>>(n); }\nint main() { f(32); }"),
            "from the launch in line 1: n * 2 with n = 32 (call in line 2)");
  EXPECT_EQ(reason("void f(int n = 3) { k<<<n * 2, 1>>>(n); }"),
            "from the launch in line 1: n * 2 with n = 3 (default in line 1)");
  EXPECT_EQ(reason("void f(int m) { k<<<m * 2, 1>>>(m); }"),
            "from the launch in line 1: m * 2 with m = 7 (given)");
  EXPECT_EQ(reason("void f() { int n = 5; int m = n * unknown(); k<<<m, 1>>>(m); }"),
            "from the launch in line 1: m = 7 (given)")
      << "n has nothing to do with it";
  EXPECT_EQ(reason("void f(int n) { k<<<n * 2, 1>>>(n); }"),
            "from the launch in line 1: n * 2, without a value for n");
  EXPECT_EQ(reason(in_main("k<<<argc * 2, 1>>>(1);")),
            "from the launch in line 3: argc * 2 with argc = 1 (no command-line arguments)");
}

}  // namespace
}  // namespace tilescope
