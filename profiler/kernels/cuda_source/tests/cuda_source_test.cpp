#include "profiler/kernels/cuda_source/cuda_source.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tilescope {
namespace {

SourceKernel only_kernel(const std::string& text) {
  const CudaSource source(text);
  EXPECT_EQ(source.kernels().size(), 1u) << text;
  return source.kernels().empty() ? SourceKernel() : source.kernels()[0];
}

SourceParameter only_parameter(const std::string& text) {
  const SourceKernel kernel = only_kernel("__global__ void k(" + text + ") {}");
  EXPECT_EQ(kernel.parameters.size(), 1u) << text;
  return kernel.parameters.empty() ? SourceParameter() : kernel.parameters[0];
}

TEST(SourceKernels, AreFoundWithEveryOrderOfTheirAttributes) {
  for (const char* text :
       {"__global__ void k(int n) {}", "void __global__ k(int n) {}", "static __global__ void k(int n) {}",
        "__global__ static void k(int n) {}", "extern \"C\" __global__ void k(int n) {}",
        "__global__ void __launch_bounds__(256, 2) k(int n) {}",
        "__global__ __launch_bounds__(256) void k(int n) {}",
        "__launch_bounds__(256) __global__ void k(int n) {}",
        "__global__ void __cluster_dims__(2, 1, 1) k(int n) {}",
        "__global__ __cluster_dims__(2, 1, 1) void k(int n) {}",
        "__global__ void __maxnreg__(64) k(int n) {}",
        "template <int N> __global__ __launch_bounds__(N * 2) void k(int n) {}",
        "template <typename T>\n__global__ void\nk(int n)\n{\n}"}) {
    const SourceKernel kernel = only_kernel(text);
    EXPECT_EQ(kernel.name, "k") << text;
    ASSERT_EQ(kernel.parameters.size(), 1u) << text;
    EXPECT_EQ(kernel.parameters[0].name, "n") << text;
  }
}

TEST(SourceKernels, HaveTheirLaunchBoundsAndTheirLinkage) {
  EXPECT_EQ(only_kernel("__global__ void __launch_bounds__(256, 2) k() {}").launch_bounds, "256, 2");
  EXPECT_EQ(only_kernel("template <int N> __global__ __launch_bounds__(N * 32) void k() {}").launch_bounds,
            "N * 32");
  EXPECT_EQ(only_kernel("__global__ void k() {}").launch_bounds, "");
  EXPECT_TRUE(only_kernel("extern \"C\" __global__ void k() {}").is_extern_c);
  EXPECT_TRUE(only_kernel("extern \"C\" {\n__global__ void k() {}\n}").is_extern_c);
  EXPECT_FALSE(only_kernel("__global__ void k() {}").is_extern_c);
}

TEST(SourceKernels, HaveTheirNamespacesAndLines) {
  const CudaSource source(
      "namespace a {\nnamespace b::c {\n__global__ void k() {}\n}\n}\nnamespace {\n\n__global__\nvoid m() "
      "{}\n}\n");
  ASSERT_EQ(source.kernels().size(), 2u);
  EXPECT_EQ(source.kernels()[0].name, "a::b::c::k");
  EXPECT_EQ(source.kernels()[0].line, 3);
  EXPECT_EQ(source.kernels()[1].name, "m");
  EXPECT_EQ(source.kernels()[1].line, 9);
}

TEST(SourceKernels, HaveTheirTemplateParameters) {
  const auto parameters = only_kernel(
                              "template <typename T, class U = float, int N = 4 * 2, bool B, typename... A> "
                              "__global__ void k(T t) {}")
                              .template_parameters;
  ASSERT_EQ(parameters.size(), 5u);
  EXPECT_EQ(parameters[0].kind + " " + parameters[0].name, "typename T");
  EXPECT_EQ(parameters[1].name + "=" + parameters[1].default_value, "U=float");
  EXPECT_EQ(parameters[2].kind + " " + parameters[2].name + "=" + parameters[2].default_value, "int N=4 * 2");
  EXPECT_EQ(parameters[3].kind + " " + parameters[3].name, "bool B");
  EXPECT_EQ(parameters[4].kind + " " + parameters[4].name, "typename A");
}

TEST(SourceKernels, AreNotDeclarationsOrTextOrOtherFunctions) {
  for (const char* text :
       {"__global__ void k(int n);", "// __global__ void k() {}", "__device__ void k() {}",
        "const char* text = \"__global__ void k() {}\";", "#if 0\n__global__ void k() {}\n#endif",
        "template __global__ void k<3>(int n);", "void k() {}"})
    EXPECT_TRUE(CudaSource(text).kernels().empty()) << text;
}

TEST(SourceKernels, AreTakenFromAllBranches) {
  const CudaSource source(
      "#ifdef A\n__global__ void a() {}\n#elif defined(B)\n__global__ void b() {}\n#else\n__global__ void "
      "c() {}\n#endif\n"
      "#if 0\n__global__ void d() {}\n#else\n__global__ void e() {}\n#endif\n");
  std::string names;
  for (const SourceKernel& kernel : source.kernels()) names += kernel.name;
  EXPECT_EQ(names, "abce");
}

struct ParameterCase {
  const char *text, *type, *element;
  bool is_pointer, points_to_const;
};

TEST(SourceParameters, HaveTheirTypesInEveryForm) {
  for (const ParameterCase& one : std::vector<ParameterCase>{
           {"const float* __restrict__ x", "const float*", "float", true, true},
           {"float const * x", "const float*", "float", true, true},
           {"const __restrict__ float* x", "const float*", "float", true, true},
           {"float (*x)[N]", "float (*)[N]", "float[N]", true, false},
           {"T *x", "T*", "T", true, false},
           {"const half *x", "const half*", "half", true, true},
           {"float4* x", "float4*", "float4", true, false},
           {"float x[]", "float[]", "float", true, false},
           {"const float x[3][4]", "const float[3][4]", "float[4]", true, true},
           {"int* const x", "int* const", "int", true, false},
           {"float** x", "float**", "float*", true, false},
           {"float* const* x", "float* const*", "float*", true, true},
           {"Params x", "Params", "Params", false, false},
           {"struct Params x", "Params", "Params", false, false},
           {"const int3 x", "const int3", "int3", false, false},
           {"unsigned long long x", "unsigned long long", "unsigned long long", false, false},
           {"const __grid_constant__ CUtensorMap x", "const CUtensorMap", "CUtensorMap", false, false},
           {"std::array<int, 3> x", "std::array<int, 3>", "std::array<int, 3>", false, false},
           {"cuda::std::span<const float> x", "cuda::std::span<const float>", "cuda::std::span<const float>",
            false, false}}) {
    const SourceParameter parameter = only_parameter(one.text);
    EXPECT_EQ(parameter.name, "x") << one.text;
    EXPECT_EQ(parameter.type, one.type) << one.text;
    EXPECT_EQ(parameter.element, one.element) << one.text;
    EXPECT_EQ(parameter.is_pointer, one.is_pointer) << one.text;
    EXPECT_EQ(parameter.points_to_const, one.points_to_const) << one.text;
    EXPECT_FALSE(parameter.is_reference) << one.text;
  }
}

TEST(SourceParameters, MayHaveADefaultOrNoName) {
  EXPECT_EQ(only_parameter("int n = 3 * M").default_value, "3 * M");
  EXPECT_EQ(only_parameter("float*").name, "");
  EXPECT_TRUE(only_parameter("float*").is_pointer);
  EXPECT_TRUE(only_parameter("const T& x").is_reference);
  EXPECT_TRUE(only_kernel("__global__ void k(void) {}").parameters.empty());
}

TEST(SourceMembers, HaveTheOffsetsThatCppGivesThem) {
  const CudaSource source(
      "#define N 3\nusing index = long long;\n"
      "struct Inner { char flag; float* x; };\n"
      "struct Base { double d; };\n"
      "struct Outer : Base { static int count; int n; Inner inner; short sizes[N]; index last; int f() { "
      "return n; } };\n"
      "template <class T> struct Box { T x; };\nclass V { virtual void f(); int x; };\n");
  std::string found;
  for (const SourceMember& member : source.members_of("const Outer"))
    found += member.name + " " + member.type + " " + std::to_string(member.offset) + "+" +
             std::to_string(member.bytes) + "; ";
  EXPECT_EQ(found,
            "d double 0+8; n int 8+4; inner.flag char 16+1; inner.x float * 24+8; sizes[0] short 32+2; "
            "sizes[1] short "
            "34+2; sizes[2] short 36+2; last index 40+8; ");
  for (const char* type : {"int", "Box<float>", "V", "Unknown"})
    EXPECT_TRUE(source.members_of(type).empty()) << type;
}

TEST(SourceConstants, AreNumbersOfTheFile) {
  const CudaSource source(
      "#ifndef GUARD\n#define GUARD\n#define N 1024\n#define M (N * 2) // twice\n#define NAME "
      "\"text\"\n#define F(x) x\n"
      "constexpr int K = 64;\nconst float scale = 0.5f;\nstatic const unsigned L = K / 2;\nint changing = "
      "3;\n"
      "const int unknown = read();\n#endif\n");
  std::string found;
  for (const SourceConstant& constant : source.constants())
    found += constant.name + "=" + constant.value + "@" + std::to_string(constant.line) +
             (constant.kind == SourceConstant::define ? "d " : "c ");
  EXPECT_EQ(found, "N=1024@3d M=(N * 2)@4d K=64@7c scale=0.5f@8c L=K / 2@9c ");
}

TEST(SourceFunctions, AreThoseOfTheHost) {
  const CudaSource source(
      "__device__ int d() { return 1; }\n__host__ __device__ int both() { return 1; }\n__global__ void k() "
      "{}\n"
      "void Runner::run()\n{\n}\nint main() { return 0; }\n");
  ASSERT_EQ(source.host_functions().size(), 2u);
  EXPECT_EQ(source.host_functions()[0].name, "Runner::run");
  EXPECT_EQ(source.host_functions()[0].first_line, 4);
  EXPECT_EQ(source.host_functions()[0].last_line, 6);
  EXPECT_EQ(source.host_functions()[1].name, "main");
}

TEST(SourceIncludes, SayTheirForm) {
  const CudaSource source("#include <cuda.h>\n#include \"a/b.cuh\"\n#include MACRO\n");
  ASSERT_EQ(source.includes().size(), 2u);
  EXPECT_EQ(source.includes()[0].name, "cuda.h");
  EXPECT_TRUE(source.includes()[0].is_system);
  EXPECT_EQ(source.includes()[1].name, "a/b.cuh");
  EXPECT_FALSE(source.includes()[1].is_system);
  EXPECT_EQ(source.includes()[1].line, 2);
}

}  // namespace
}  // namespace tilescope
