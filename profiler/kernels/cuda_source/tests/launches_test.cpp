#include "profiler/kernels/cuda_source/tests/launch_fixture.hpp"

namespace tilescope {
namespace {

TEST(SourceLaunches, HaveTheirTexts) {
  const SourceLaunch launch =
      FirstLaunch(
          in_main(
              "  k<float, 64><<<(n + 255) / 256, dim3(32, /* rows */ 8),\n      smem, stream>>>(x, n + 1);"))
          .launch;
  EXPECT_EQ(launch.kernel, "k");
  EXPECT_EQ(launch.template_arguments, (std::vector<std::string>{"float", "64"}));
  EXPECT_EQ(launch.host_function, "main");
  EXPECT_EQ(launch.line, 3);
  EXPECT_EQ(launch.grid, "(n + 255) / 256");
  EXPECT_EQ(launch.block, "dim3(32, 8)");
  EXPECT_EQ(launch.shared, "smem");
  EXPECT_EQ(launch.stream, "stream");
  EXPECT_EQ(launch.arguments, (std::vector<std::string>{"x", "n + 1"}));
}

TEST(SourceLaunches, AreFoundWhereverTheyStand) {
  for (const char* statement :
       {"AT_DISPATCH(x.type(), \"f\", [&] { k<scalar_t><<<1, 2>>>(3); });",
        "AT_DISPATCH(x.type(), \"f\", ([&] { k<scalar_t><<<1, 2>>>(3); }));",
        "auto run = [&](int n) { k<<<1, 2>>>(n); };", "switch (n) { case 1: k<<<1, 2>>>(n); break; }",
        "if (n) k<<<1, 2>>>(n); else return;", "for (;;) { k<<<1, 2>>>(n); }", "CHECK((k<<<1, 2>>>(n), 0));",
        "#ifdef A\nk<<<1, 2>>>(n);\n#endif", "#if defined(A)\n#else\nk<<<1, 2>>>(n);\n#endif",
        "ns::k<<<1, 2>>>(n);"}) {
    const FirstLaunch first(in_main(statement));
    EXPECT_EQ(first.grid() + " " + first.block(), "1x1x1 2x1x1") << statement;
    EXPECT_EQ(first.source.launches().size(), 1u) << statement;
  }
}

TEST(SourceLaunches, AreNotTextsOrDeadCode) {
  for (const char* statement :
       {"// k<<<1, 2>>>(n);", "puts(\"k<<<1, 2>>>(n)\");", "#if 0\nk<<<1, 2>>>(n);\n#endif"})
    EXPECT_TRUE(CudaSource(in_main(statement)).launches().empty()) << statement;
}

TEST(SourceLaunches, NameTheirKernelWithItsNamespace) {
  EXPECT_EQ(FirstLaunch("namespace a { __global__ void q() {} void f() { q<<<1, 1>>>(); } }").launch.kernel,
            "a::q");
  EXPECT_EQ(
      FirstLaunch("namespace a { __global__ void q() {} }\nvoid f() { a::q<<<1, 1>>>(); }").launch.kernel,
      "a::q");
  EXPECT_EQ(FirstLaunch("__global__ void q() {}\nvoid f() { ::q<<<1, 1>>>(); }").launch.kernel, "q");
  EXPECT_EQ(FirstLaunch("namespace a { __global__ void q() {} }\nnamespace b { __global__ void q() {} void "
                        "f() { q<<<1, 1>>>(); } }")
                .launch.kernel,
            "b::q");
  EXPECT_EQ(FirstLaunch("void f() { header::q<3><<<1, 1>>>(); }").launch.kernel, "header::q");
}

TEST(SourceLaunches, SeeTheKernelBehindAVariable) {
  for (const char* value : {"k<float, 64>", "&k<float, 64>"}) {
    const FirstLaunch first(in_main("auto kernel = " + std::string(value) + ";\nkernel<<<1, 2>>>(3);"));
    EXPECT_EQ(first.launch.kernel, "k");
    EXPECT_EQ(first.values.template_arguments, (std::vector<std::string>{"float", "64"}));
  }
}

TEST(SourceLaunches, AreReadFromTheBodiesOfMacros) {
  const FirstLaunch first(
      in_main("#define LAUNCH(B) \\\n  k<B><<<n / B, B>>>(n)\n  const int n = 1024;\n  LAUNCH(64);\n  "
              "LAUNCH(\n128);"));
  ASSERT_EQ(first.source.launches().size(), 2u);
  EXPECT_EQ(first.launch.line, 6);
  EXPECT_EQ(first.grid() + " " + first.block(), "16x1x1 64x1x1");
  EXPECT_EQ(first.source.launches()[1].line, 7);
  EXPECT_EQ(first.source.launches()[1].template_arguments, (std::vector<std::string>{"128"}));
}

TEST(SourceLaunches, AreReadFromMacrosThatMakeFunctionsAndUseMacros) {
  const FirstLaunch first(
      "#define RUN(B) \\  \n  k##_##B<B><<<1, B>>>(#B);\n#define CASES(n) switch (n) { case 8: RUN(8) break; "
      "case 9: RUN(9) break; }\n"
      "#define DEFINE(name, ...) void name(int n) { CASES(n) f(__VA_ARGS__); }\nDEFINE(run, 1, 2)\n");
  ASSERT_EQ(first.source.launches().size(), 2u);
  EXPECT_EQ(first.launch.kernel, "k_8");
  EXPECT_EQ(first.launch.host_function, "run");
  EXPECT_EQ(first.launch.line, 5);
  EXPECT_EQ(first.launch.arguments, (std::vector<std::string>{"\"8\""}));
  EXPECT_EQ(first.block(), "8x1x1");
}

TEST(SourceLaunches, AreReachedThroughTheirCase) {
  const auto in_function = [](const std::string& statements) {
    return "__global__ void k(int n) {}\nvoid f(int width) {\n" + statements + "\n}\n";
  };
  const FirstLaunch in_switch(in_function(
      "  dim3 block(width);\n  switch ((width)) {\n    case 256: k<256><<<1, block>>>(width); }"));
  EXPECT_EQ(in_switch.block(), "256x1x1");
  EXPECT_EQ(in_switch.values.arguments[0].reason,
            "from the launch in line 5: width = 256 (the launch's case in line 5)");
  EXPECT_EQ(FirstLaunch(in_function("if (width == 64) { k<<<1, width>>>(1); }")).block(), "64x1x1");
  EXPECT_EQ(FirstLaunch(in_function("if (64 == width) k<<<1, width>>>(1);")).block(), "64x1x1");
  const std::string other_branch = "if (width == 64) f(1); else k<<<1, width>>>(1);";
  EXPECT_EQ(FirstLaunch(in_function(other_branch), {}, {{"width", 8}}).block(), "8x1x1");
  const std::string default_case = "switch (width) { case 64: f(1); break; default: k<<<1, width>>>(1); }";
  EXPECT_EQ(FirstLaunch(in_function(default_case), {}, {{"width", 8}}).block(), "8x1x1");
  EXPECT_EQ(FirstLaunch(in_function("if (width == 64) k<<<1, width>>>(1);"), {{"width", 32}}).block(),
            "32x1x1")
      << "the user's value goes first";
  EXPECT_EQ(FirstLaunch("__global__ void k(int n) {}\nvoid f(int m) { k<<<1, m>>>(m); }\n"
                        "void g(int m) { if (m == 64) f(m / 2); }",
                        {}, {{"m", 8}})
                .block(),
            "4x1x1")
      << "a case of a caller is not looked for";
}

TEST(SourceLaunches, HaveTemplateArgumentsAsNumbersAndTypes) {
  const FirstLaunch first(
      "using T = float;\ntemplate <int BM, typename E> void launch() {\n  const uint BN = BM * 2;\n"
      "  k<BM, BN, BM * BN / 16, E, T, scalar_t, (BM > 3)><<<BM, BN>>>();\n}\nint main() { launch<64, "
      "half>(); }\n");
  EXPECT_EQ(first.values.template_arguments,
            (std::vector<std::string>{"64", "128", "512", "half", "float", "scalar_t", "1"}));
  EXPECT_EQ(first.grid() + " " + first.block(), "64x1x1 128x1x1");
}

TEST(SourceLaunches, MayBeCallsOfTheRuntime) {
  const std::string values = "int n = 10; float* d; cudaMalloc(&d, 4 * n); dim3 g(3, 4);\n";
  for (const char* call :
       {"void* args[] = {&d, (void*)&n}; cudaLaunchKernel((void*)k<float>, g, 32, args, 64, s);",
        "void* args[2] = {(void*)&d, &n}; CHECK(cudaLaunchKernel(k<float>, g, dim3(32), args, 64, 0));",
        "void* args[] = {&d, &n}; cudaLaunchCooperativeKernel(reinterpret_cast<void*>(&k<float>), g, 32, "
        "args, 64);",
        "cudaLaunchConfig_t c = {0}; c.gridDim = g; c.blockDim = dim3(32); c.dynamicSmemBytes = 64; "
        "cudaLaunchKernelEx(&c, k<float>, d, n);",
        "cudaLaunchConfig_t c{g, 32, 64, s}; cudaLaunchKernelEx(&c, k<float>, d, n);",
        "cudaLaunchConfig_t c = {.gridDim = g, .blockDim = 32, .dynamicSmemBytes = 64}; "
        "cudaLaunchKernelEx(&c, k<float>, d, n);"}) {
    const FirstLaunch first(in_main(values + call));
    EXPECT_EQ(first.launch.kernel, "k") << call;
    EXPECT_EQ(first.launch.is_cooperative, std::string(call).find("Cooperative") != std::string::npos)
        << call;
    EXPECT_EQ(first.grid() + " " + first.block(), "3x4x1 32x1x1") << call;
    EXPECT_EQ(first.values.shared.value, 64) << call;
    EXPECT_EQ(first.launch.arguments, (std::vector<std::string>{"d", "n"})) << call;
    EXPECT_EQ(first.launch.template_arguments, std::vector<std::string>{"float"}) << call;
    ASSERT_EQ(first.values.arguments.size(), 2u) << call;
    EXPECT_EQ(first.values.arguments[1].value, 10) << call;
    ASSERT_TRUE(first.values.buffers[0]) << call;
    EXPECT_EQ(first.values.buffers[0]->bytes.value, 40) << call;
  }
  EXPECT_TRUE(CudaSource("void run(void* f, void** a) { cudaLaunchKernel(f, 1, 1, a); }").launches().empty());
  EXPECT_TRUE(CudaSource(in_main("cudaLaunchKernel(k);")).launches().empty());
}

TEST(SourceLaunches, HaveTheirSharedMemoryAndArguments) {
  const FirstLaunch first(
      in_main("int n = 10; float scale = 1 / 4.0f; float* x;\nk<<<1, 1, 2 * n * sizeof(float)>>>(n, scale, "
              "x, -n, true);"));
  EXPECT_EQ(first.values.shared.value, 80);
  ASSERT_EQ(first.values.arguments.size(), 5u);
  EXPECT_EQ(first.values.arguments[0].value, 10);
  EXPECT_EQ(first.values.arguments[1].value, 0.25);
  EXPECT_EQ(first.values.arguments[2].value, std::nullopt);
  EXPECT_EQ(first.values.arguments[3].value, -10);
  EXPECT_EQ(first.values.arguments[4].value, 1);
  EXPECT_EQ(FirstLaunch(in_main("k<<<1, 1>>>(3);")).values.shared.value, 0);
}

TEST(Launches, OfAVariableAreThoseOfTheKernelsThatAFunctionChooses) {
  const CudaSource source(
      "template <int N> __global__ void few(float* x) {}\n__global__ void many(float* x) {}\n"
      "typedef void (*Kernel)(float*);\n"
      "Kernel pick(int n) {\n  if (n == 1) return few<1>;\n  return many;\n}\n"
      "void run(float* x, int rows) {\n  dim3 grid;\n  grid.x = rows;\n  Kernel kernel = pick(rows);\n"
      "  kernel<<<grid, 64>>>(x);\n}\n");
  ASSERT_EQ(source.launches().size(), 2u);
  EXPECT_EQ(source.launches()[0].kernel, "few");
  EXPECT_EQ(source.launches()[1].kernel, "many");
  EXPECT_EQ(source.evaluate(source.launches()[1], {{"rows", 7}}, nullptr).grid[0].value, 7);
}

TEST(Launches, BehindABranchOfSomeBuildsHaveTheValuesOfTheirFunction) {
  const FirstLaunch launch(
      "__global__ void k(int n) {}\ntemplate <class T> void run(int m) {\n  dim3 grid(12);\n  if (m == 1) "
      "{\n    m = 2;\n"
      "  }\n#ifdef WITH_BF16\n  else if (is_bf16<T>) {\n    m = 3;\n  }\n#endif\n  else {\n    k<<<grid, "
      "32>>>(m);\n  }\n}\n");
  EXPECT_EQ(launch.grid(), "12x1x1");
  EXPECT_EQ(launch.source.host_functions()[0].last_line, 15);
}

}  // namespace
}  // namespace tilescope
