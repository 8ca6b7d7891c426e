#include "profiler/kernels/cuda_source/tests/launch_fixture.hpp"

namespace tilescope {
namespace {

struct GridCase {
  const char *statements, *grid;
};

void expect_grids(const std::vector<GridCase>& cases) {
  for (const GridCase& one : cases) {
    const FirstLaunch first(in_main(std::string(one.statements)));
    EXPECT_EQ(first.grid(), one.grid) << one.statements << "\n" << first.values.grid[0].reason;
  }
}

TEST(Evaluation, ComputesAsCppDoes) {
  for (const auto& [expression, value] : std::map<std::string, double>{{"7 / 2", 3},
                                                                       {"7 / 2.0f", 3.5},
                                                                       {"-7 / 2", -3},
                                                                       {"7 % 4", 3},
                                                                       {"1 << 20", 1048576},
                                                                       {"0x10 | 3", 19},
                                                                       {"1'000 - 1", 999},
                                                                       {"010", 8},
                                                                       {"0b101", 5},
                                                                       {"5u - 6u", 4294967295.0},
                                                                       {"1.5e3", 1500},
                                                                       {"2 > 1 ? 3 : 4", 3},
                                                                       {"!0 + ~0", 0},
                                                                       {"(int)3.9f", 3},
                                                                       {"int(3.9)", 3},
                                                                       {"static_cast<int>(3.9)", 3},
                                                                       {"(unsigned char)300", 44},
                                                                       {"uint32_t(7)", 7},
                                                                       {"min(3, 4) + std::max<int>(5, 6)", 9},
                                                                       {"ceil(7 / (float)2)", 4},
                                                                       {"(int)ceilf(2.1f)", 3},
                                                                       {"std::ceil(10 / 4)", 2},
                                                                       {"floor(2.9)", 2},
                                                                       {"sqrt(16)", 4},
                                                                       {"std::pow(2, 10)", 1024},
                                                                       {"abs(-3)", 3},
                                                                       {"sizeof(float) * 3", 12},
                                                                       {"sizeof(float4)", 16},
                                                                       {"sizeof(unsigned long long)", 8},
                                                                       {"sizeof(half)", 2},
                                                                       {"sizeof(int*)", 8},
                                                                       {"(1, 2)", 2},
                                                                       {"3 == 3.0", 1},
                                                                       {"1 && 0 || 1", 1},
                                                                       {"16777217.0f", 16777216},
                                                                       {"1LL << 40", 1099511627776.0},
                                                                       {"true ? 1 : 0", 1},
                                                                       {"(2) - (5)", -3},
                                                                       {"std::atoi(\"12\")", 12}})
    EXPECT_EQ(CudaSource("").evaluate_constant(expression).value, value) << expression;
}

TEST(Evaluation, HasNoValueWhereCppHasNone) {
  for (const char* expression :
       {"1 / 0", "1 % 0", "2147483647 + 1", "1 << 32", "65536 * 65536", "sizeof(Unknown)", "\"text\"",
        "nullptr", "f(3)", "x", "1 +", "", ")(", "int", "1.0 / 0.0"}) {
    const EvaluatedNumber number = CudaSource("").evaluate_constant(expression);
    EXPECT_EQ(number.value, std::nullopt) << expression;
    EXPECT_FALSE(number.unknown.empty()) << expression;
  }
}

TEST(Evaluation, KnowsTheNamesOfTheFile) {
  const CudaSource source(
      "#define N 64\n#define M (N + 1)\n#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))\n#define HALF(x) x / "
      "2\n#define DIFF(a, b) ((a) - (b) * 2)\n"
      "constexpr int K = 4 * N;\nenum Mode { one = 1, two, ten = 10, eleven };\nenum { zero };\n"
      "struct Traits { static constexpr int BM = 32; };\nnamespace ns { const int Q = 5; }\n"
      "#ifdef A\n#define P 1\n#else\n#define P 2\n#endif\nusing T = double;\n");
  for (const auto& [expression, value] : std::map<std::string, double>{{"N", 64},
                                                                       {"M * 2", 130},
                                                                       {"CEIL_DIV(N + 1, 8)", 9},
                                                                       {"CEIL_DIV(K, N)", 4},
                                                                       {"HALF(N + 6)", 67},
                                                                       {"DIFF(N, K)", -448},
                                                                       {"K", 256},
                                                                       {"two", 2},
                                                                       {"eleven", 11},
                                                                       {"zero", 0},
                                                                       {"Mode::ten", 10},
                                                                       {"Traits::BM", 32},
                                                                       {"ns::Q", 5},
                                                                       {"P", 2},
                                                                       {"sizeof(T)", 8},
                                                                       {"(N) - (K) * 2", -448},
                                                                       {"(N) + 1", 65}})
    EXPECT_EQ(source.evaluate_constant(expression).value, value) << expression;
}

TEST(Evaluation, LeavesOutBranchesOfMacrosThatAreNotDefined) {
  const CudaSource source(
      "#define HAS_B 1\n"
      "#if defined(ENABLE_A)\ntypedef short Real;\n#define TILE 8\n"
      "#elif defined(ENABLE_A) && defined(HAS_B)\ntypedef char Real;\n#define TILE 16\n"
      "#else\ntypedef double Real;\n#define TILE 32\n#endif\n"
      "#ifdef HAS_B\nusing Index = long;\n#else\nusing Index = int;\n#endif\n"
      "#ifndef NO_C\nusing Small = char;\n#else\nusing Small = int;\n#endif\n"
      "#if defined(__CUDACC__)\nusing Own = char;\n#else\nusing Own = int;\n#endif\n"
      "#ifdef ONLY\nusing Alone = double;\n#endif\n");
  for (const auto& [expression, value] : std::map<std::string, double>{{"sizeof(Real)", 8},
                                                                       {"TILE", 32},
                                                                       {"sizeof(Index)", 8},
                                                                       {"sizeof(Small)", 1},
                                                                       {"sizeof(Own)", 1},
                                                                       {"sizeof(Alone)", 8}})
    EXPECT_EQ(source.evaluate_constant(expression).value, value) << expression;
}

TEST(Evaluation, ReadsEveryFormOfADim3) {
  expect_grids({{"k<<<7, 1>>>(1);", "7x1x1"},
                {"k<<<dim3(7, 8), 1>>>(1);", "7x8x1"},
                {"k<<<{7, 8, 9}, 1>>>(1);", "7x8x9"},
                {"dim3 g(7, 8); k<<<g, 1>>>(1);", "7x8x1"},
                {"dim3 g{7, 8}; k<<<g, 1>>>(1);", "7x8x1"},
                {"dim3 g = {7, 8}; k<<<g, 1>>>(1);", "7x8x1"},
                {"dim3 g = dim3(7, 8); k<<<g, 1>>>(1);", "7x8x1"},
                {"auto g = dim3{7, 8}; k<<<g, 1>>>(1);", "7x8x1"},
                {"dim3 g; g.x = 7; g.y = 8; k<<<g, 1>>>(1);", "7x8x1"},
                {"dim3 g(7); g.z = 3; k<<<g, 1>>>(1);", "7x1x3"},
                {"dim3 g(7, 8); g = dim3(2); k<<<g, 1>>>(1);", "2x1x1"},
                {"dim3 g(7, 8); dim3 h(g); k<<<h, 1>>>(1);", "7x8x1"},
                {"dim3 g(7, 8); dim3 h = g; h.x /= 2; k<<<h, 1>>>(1);", "3x8x1"},
                {"dim3 g(7, 8); k<<<g.x * g.y, 1>>>(1);", "56x1x1"},
                {"int M = 7, N = 8; dim3 g(M, N); k<<<g, 1>>>(1);", "7x8x1"},
                {"int M = 7, N = 8; dim3 g(M * N); k<<<g, 1>>>(1);", "56x1x1"},
                {"int M = 7, N = 8; dim3 g(M * N, N); k<<<g, 1>>>(1);", "56x8x1"},
                {"int M[2] = {7, 8}; dim3 g(M[0], M[1]); k<<<g, 1>>>(1);", "7x8x1"},
                {"dim3 g = 1 > 0 ? dim3(7) : dim3(8); k<<<g, 1>>>(1);", "7x1x1"},
                {"k<<<ceil(7 / (float)2), 1>>>(1);", "4x1x1"},
                {"auto g = make_uint3(7, 8, 9); k<<<dim3(g.x, g.z), 1>>>(1);", "7x9x1"}});
}

TEST(Evaluation, FollowsNamesToWhatGaveThemAValue) {
  expect_grids(
      {{"const int t = 256; const int n = 1000; const int b = (n + t - 1) / t; k<<<b, t>>>(n);", "4x1x1"},
       {"int N = 1 << 20; size_t bytes = N * sizeof(float); k<<<bytes / 4096, 1>>>(1);", "1024x1x1"},
       {"int n = 4; n = n * 3; n += 2; n++; k<<<n, 1>>>(1); n = 0;", "15x1x1"},
       {"int n; n = 5; k<<<n, 1>>>(1);", "5x1x1"},
       {"int n(5), m{6}; k<<<n * m, 1>>>(1);", "30x1x1"},
       {"int n = 3.9; k<<<n, 1>>>(1);", "3x1x1"},
       {"int n = 3; { int n = 4; } k<<<n, 1>>>(1);", "3x1x1"},
       {"int n = 3; { int n = 4; k<<<n, 1>>>(1); }", "4x1x1"},
       {"int n = argc > 1 ? atoi(argv[1]) : 1024; k<<<n, 1>>>(1);", "1024x1x1"},
       {"int n = 64; if (argc > 1) n = atoi(argv[1]); k<<<n, 1>>>(1);", "64x1x1"},
       {"int n; if (argc > 1) n = atoi(argv[1]); else n = 32; k<<<n, 1>>>(1);", "32x1x1"},
       {"int n; if (flag) { n = 1; } else { n = 2; } k<<<n, 1>>>(1);", "1x1x1"},
       {"int n = 8; if (flag) n = 1; k<<<n, 1>>>(1);", "8x1x1"},
       {"int n = 8; if (n > 4) n = 1; else n = 2; k<<<n, 1>>>(1);", "1x1x1"},
       {"int n = 8; read(argc, argv, &n); k<<<n, 1>>>(1);", "8x1x1"},
       {"int n = flag ? read() : 12; k<<<n, 1>>>(1);", "12x1x1"},
       {"for (int s = 8; s > 0; s >>= 1) k<<<s, 1>>>(1);", "8x1x1"},
       {"int sizes[] = {32, 64}; for (int i = 1; i < 2; i++) { int n = sizes[i]; k<<<n, 1>>>(1); }",
        "64x1x1"},
       {"for (int n : {16, 32}) k<<<n, 1>>>(1);", "16x1x1"},
       {"std::vector<int> all = {16, 32}; for (auto n : all) k<<<n, 1>>>(1);", "16x1x1"},
       {"switch (argc) { case 1: { const int b = 4; k<<<b, 1>>>(1); break; } }", "4x1x1"},
       {"int n = 0; switch (argc) { case 1: n = 4; break; case 2: n = 5; break; } k<<<n, 1>>>(1);", "4x1x1"},
       {"auto up = [](int a, int b) { return (a + b - 1) / b; }; k<<<up(10, 4), 1>>>(1);", "3x1x1"},
       {"int n = 5;\n#ifdef A\nconst int t = 1;\n#else\nconst int t = 2;\n#endif\nk<<<n * t, 1>>>(1);",
        "5x1x1"},
       {"int n = 5;\n#if 0\nn = 6;\n#endif\nk<<<n, 1>>>(1);", "5x1x1"}});
}

TEST(Evaluation, DoesNotGuessWhatALoopLeaves) {
  expect_grids({{"int t = 1; while (t < 100) t *= 2; k<<<t, 1>>>(1);", "?x1x1"},
                {"int t = 1; for (int i = 0; i < 3; i++) { t++; } k<<<t, 1>>>(1);", "?x1x1"},
                {"int t = 1; do { t *= 2; } while (t < 100); k<<<t, 1>>>(1);", "?x1x1"}});
}

TEST(Evaluation, DoesNotTakeAZeroForASize) {
  expect_grids({{"int n = 0; occupancy(&n, k); k<<<n, 1>>>(1);", "?x1x1"},
                {"int n = 0; occupancy(n, k); k<<<n, 1>>>(1);", "?x1x1"},
                {"int n = 0; occupancy(&n, k); k<<<n + 1, 1>>>(1);", "?x1x1"},
                {"dim3 g; g.x = read(); k<<<g, 1>>>(1);", "?x1x1"}});
}

TEST(Evaluation, CallsSmallFunctions) {
  const std::string functions =
      "inline int cdiv(int a, int b) { return (a + b - 1) / b; }\ntemplate <typename T> T half_of(T a) { "
      "return a / 2; }\n"
      "constexpr int pick(int n) {\n  if (n >= 1024) return 256;\n  if (n >= 128) return 64;\n  return "
      "32;\n}\n"
      "dim3 grid_of(int n) { int b = cdiv(n, 4); return dim3(b, 2); }\nint looped(int n) { return looped(n - "
      "1); }\n"
      "int unsure(int n) { if (flag) return 1; return 2; }\n";
  const CudaSource source(functions);
  EXPECT_EQ(source.evaluate_constant("cdiv(10, 4) + half_of(9)").value, 7);
  EXPECT_EQ(source.evaluate_constant("pick(2000) + pick(128) + pick(1)").value, 352);
  EXPECT_EQ(source.evaluate_constant("looped(3)").value, std::nullopt);
  EXPECT_EQ(source.evaluate_constant("unsure(3)").value, std::nullopt);
  EXPECT_EQ(FirstLaunch(functions + in_main("k<<<grid_of(10), 1>>>(1);")).grid(), "3x2x1");
}

TEST(Evaluation, ReadsAQuotientOfAHeaderByItsName) {
  for (const char* name : {"CEIL_DIV", "ceil_div", "cdiv", "DIVUP", "iDivUp", "at::ceil_div"}) {
    const EvaluatedNumber number = CudaSource("").evaluate_constant(std::string(name) + "(10, 4)");
    EXPECT_EQ(number.value, 3) << name;
    EXPECT_NE(number.reason.find("by its name"), std::string::npos) << number.reason;
  }
}

TEST(Evaluation, FindsTheCallOfAHostFunction) {
  const std::string launch = "void launch(const float* x, int n, int t = 32) { k<<<n / t, t>>>(n); }\n";
  EXPECT_EQ(FirstLaunch(launch + "int main() { int N = 256; float* d; launch(d, N * 2); }").grid(), "16x1x1");
  EXPECT_EQ(FirstLaunch(launch + "void run(int m) { launch(x, m, 64); }\nint main() { run(640); }").grid(),
            "10x1x1");
  EXPECT_EQ(FirstLaunch(launch + "int main() { bench(100, launch, x, 320); }").grid(), "10x1x1");
  EXPECT_EQ(FirstLaunch("template <typename T> void launch() { k<<<128 / sizeof(T), 1>>>(1); }\nint main() "
                        "{\n  bool wide = false;\n"
                        "  if (wide) launch<double>(); else launch<float>();\n}")
                .grid(),
            "32x1x1");
  for (const char* parameter :
       {"void (*f)(const float*, int)", "F f", "const std::function<void(const float*, int)>& f"})
    EXPECT_EQ(FirstLaunch(launch + "template <typename F> void measure(" + parameter +
                          ", int n) { float* x; f(x, n * 2); }\nint main() { measure(launch, 160); }")
                  .grid(),
              "10x1x1")
        << parameter;
  EXPECT_EQ(
      FirstLaunch("void launch(dim3 g) { k<<<g, 1>>>(1); }\nint main() { dim3 g(4, 5); launch(g); }").grid(),
      "4x5x1");
  EXPECT_EQ(FirstLaunch(
                "template <int B> void launch(int n) { k<<<n / B, B>>>(n); }\nint main() { launch<8>(80); }")
                .grid(),
            "10x1x1");
  EXPECT_EQ(
      FirstLaunch(
          "template <int B = 16> void launch(int n) { k<<<n / B, B>>>(n); }\nint main() { launch(80); }")
          .grid(),
      "5x1x1");
}

TEST(Evaluation, EndsWhereFunctionsCallEachOther) {
  EXPECT_EQ(FirstLaunch("void a(int n) { b(n); }\nvoid b(int n) { k<<<n, 1>>>(n); a(n); }").grid(), "?x1x1");
  EXPECT_EQ(FirstLaunch("#define A B\n#define B A\nvoid b() { k<<<A, 1>>>(1); }").grid(), "?x?x?");
  EXPECT_EQ(FirstLaunch("int f(int n) { return f(n) + f(n); }\nvoid b() { k<<<f(3), 1>>>(1); }").grid(),
            "?x1x1");
}

TEST(Evaluation, UsesValuesOfOtherFunctionsForVariablesOfTheFile) {
  EXPECT_EQ(
      FirstLaunch("dim3 g; int n;\nvoid run() { k<<<g, n>>>(1); }\nint main() { g.x = 4; n = 32; run(); }")
          .grid(),
      "4x1x1");
  EXPECT_EQ(FirstLaunch("int n = 7;\nvoid run() { k<<<n, 1>>>(1); }").grid(), "7x1x1");
}

TEST(Evaluation, KnowsMembers) {
  EXPECT_EQ(FirstLaunch(in_main("Params p; p.n = 12; k<<<p.n, 1>>>(1);")).grid(), "12x1x1");
  EXPECT_EQ(
      FirstLaunch("struct Params { int n = 9; int m; };\nvoid f() { Params p; k<<<p.n, 1>>>(1); }").grid(),
      "9x1x1");
  EXPECT_EQ(FirstLaunch("void f(Params* p) { k<<<p->n, 1>>>(1); }", {{"p->n", 3}}).grid(), "3x1x1");
}

}  // namespace
}  // namespace tilescope
