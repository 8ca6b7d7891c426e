#include "profiler/kernels/cuda_source/tests/launch_fixture.hpp"

namespace tilescope {
namespace {

/// "d_in 4096+12" of a launch's first argument: its buffer's name, size and offset; "none" without a buffer.
std::string buffer_text(const FirstLaunch& first) {
  if (first.values.buffers.empty() || !first.values.buffers[0]) return "none";
  const EvaluatedBuffer& buffer = *first.values.buffers[0];
  const auto number = [](const EvaluatedNumber& one) {
    return one.value ? std::to_string(static_cast<long long>(*one.value)) : std::string("?");
  };
  return buffer.name + " " + number(buffer.bytes) + "+" + number(buffer.offset_bytes) +
         (buffer.fill.empty() ? "" : " " + buffer.fill);
}

struct BufferCase {
  const char *statements, *buffer;
};

void expect_buffers(const std::vector<BufferCase>& cases) {
  for (const BufferCase& one : cases)
    EXPECT_EQ(buffer_text(FirstLaunch(in_main(one.statements))), one.buffer) << one.statements;
}

TEST(Buffers, HaveTheSizeOfTheirAllocation) {
  expect_buffers({
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMalloc((void**)&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMalloc((void**)(&d), 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMalloc(reinterpret_cast<void**>(&d), 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; CHECK(cudaMalloc(&d, 64)); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; checkCudaErrors(cudaMalloc((void **)&d, 64));\nk<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaError_t e = cudaMalloc(&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; if (cudaMalloc(&d, 64) != cudaSuccess) return 1; k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMallocManaged(&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMallocAsync(&d, 64, stream); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMallocHost(&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaHostAlloc(&d, 64, cudaHostAllocMapped); k<<<1, 1>>>(d);", "d 64+0"},
      {"float *h, *d; cudaHostAlloc(&h, 64, 0); cudaHostGetDevicePointer(&d, h, 0); k<<<1, 1>>>(d);",
       "h 64+0"},
      {"float* d; size_t pitch; cudaMallocPitch(&d, &pitch, 100 * sizeof(float), 3); k<<<1, 1>>>(d);",
       "d 1536+0"},
      {"int n = 100; float* d; cudaMalloc(&d, sizeof(float) * n); k<<<1, 1>>>(d);", "d 400+0"},
      {"int n = 100; size_t bytes = n * sizeof(float); float* d; cudaMalloc(&d, bytes); k<<<1, 1>>>(d);",
       "d 400+0"},
      {"double* d; cudaMalloc(&d, 8 * sizeof(*d)); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMalloc(&d, unseen(3)); k<<<1, 1>>>(d);", "d ?+0"},
      {"int n = 0; float* d; cudaMalloc(&d, n); k<<<1, 1>>>(d);", "d ?+0"},
      {"float* d = (float*)malloc_device(3); k<<<1, 1>>>(d);", "none"},
      {"float* d; cudaGetSymbolAddress((void**)&d, symbol); k<<<1, 1>>>(d);", "none"},
      {"k<<<1, 1>>>(nullptr);", "none"},
      {"k<<<1, 1>>>(0);", "none"},
      {"int n = 3 + 4; k<<<1, 1>>>(n + 1);", "none"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(&d);", "none"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(*d);", "none"},
  });
}

TEST(Buffers, AreThoseOfTheNewestAllocation) {
  expect_buffers({
      {"float* d; cudaMalloc(&d, 64); cudaFree(d); cudaMalloc(&d, 32); k<<<1, 1>>>(d); cudaMalloc(&d, 8);",
       "d 32+0"},
      {"float* d; for (int n = 4; n < 9; ++n) { cudaMalloc(&d, n * 4); k<<<1, 1>>>(d); cudaFree(d); }",
       "d 16+0"},
      {"float* d; cudaMalloc(&d, 64); if (0) cudaMalloc(&d, 32); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; if (argc > 1) { cudaMalloc(&d, 64); } else { cudaMalloc(&d, 32); } k<<<1, 1>>>(d);",
       "d 32+0"},
      {"float* d; if (unseen()) cudaMalloc(&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"{ float* d; cudaMalloc(&d, 64); } { float* d = unseen(); k<<<1, 1>>>(d); }", "none"},
      {"float* d; cudaMalloc(&d, 64); d = unseen(); k<<<1, 1>>>(d);", "none"},
      {"float* d; cudaMalloc(&d, 64); d = nullptr; k<<<1, 1>>>(d);", "d 64+0"},
  });
}

TEST(Buffers, KnowWhereAnArgumentPoints) {
  expect_buffers({
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(d + 3);", "d 64+12"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(3 + d);", "d 64+12"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(d + 3 - 1);", "d 64+8"},
      {"int n = 2; float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(&d[n]);", "d 64+8"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(&d[0]);", "d 64+0"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>((double*)d + 2);", "d 64+16"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>((char*)(d + 2));", "d 64+8"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(reinterpret_cast<float4*>(d) + 1);", "d 64+16"},
      {"void* d; cudaMalloc(&d, 64); k<<<1, 1>>>(static_cast<const half*>(d) + 1);", "d 64+2"},
      {"float* d; cudaMalloc(&d, 64); float* e = d + 4; k<<<1, 1>>>(e + 1);", "d 64+20"},
      {"float* d; cudaMalloc(&d, 64); d += 2; k<<<1, 1>>>(d);", "d 64+8"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(d + unseen());", "d 64+?"},
      {"float *a, *b; cudaMalloc(&a, 64); cudaMalloc(&b, 32); k<<<1, 1>>>(argc > 1 ? a : b);", "b 32+0"},
  });
}

TEST(Buffers, MayBePartsOfVariables) {
  expect_buffers({
      {"S a; cudaMalloc(&a.ptr, 64); k<<<1, 1>>>(a.ptr);", "a.ptr 64+0"},
      {"S* a = make(); cudaMalloc(&a->ptr, 64); k<<<1, 1>>>((*a).ptr);", "a.ptr 64+0"},
      {"float* d[2]; cudaMalloc(&d[0], 64); cudaMalloc(&d[1], 32); k<<<1, 1>>>(d[0]);", "d[0] 64+0"},
      {"float* d[2]; for (int i = 0; i < 2; ++i) cudaMalloc(&d[i], 64); k<<<1, 1>>>(d[1] + 1);", "d[1] 64+4"},
      {"float* d[2]; for (int i = 0; i < 2; ++i) cudaMalloc((void**)&d[i], 64); k<<<1, 1>>>(d[1]);",
       "d[1] 64+0"},
  });
}

TEST(Buffers, AreFollowedThroughFunctions) {
  const std::string kernel = "__global__ void k(float* x) {}\n";
  for (const auto& [text, buffer] : std::vector<BufferCase>{
           {"void run(float* p, int n) { k<<<1, 1>>>(p + n); }\nint main() { float* d; cudaMalloc(&d, 64); "
            "run(d, 2); }",
            "d 64+8"},
           {"void make(float** p, int n) { cudaMalloc(p, n * sizeof(float)); }\nint main() { float* d; "
            "make(&d, 4); k<<<1, 1>>>(d); }",
            "d 16+0"},
           {"void make(float** p, int n) { cudaMalloc((void**)p, n * sizeof(float)); }\nint main() { float* "
            "d; "
            "CHECK(make(&d, 4)); k<<<1, 1>>>(d); }",
            "d 16+0"},
           {"void make(float*& p, int n) { cudaMalloc(&p, n); }\nint main() { float* d; make(d, 4); k<<<1, "
            "1>>>(d); }",
            "d 4+0"},
           {"float* make(int n) { float* p; cudaMalloc(&p, n); return p; }\nint main() { float* d = make(4); "
            "k<<<1, 1>>>(d); }",
            "d 4+0"},
           {"template <typename T> T* make(int n) { T* p; cudaMalloc(&p, n * sizeof(T)); return p; }\nint "
            "main() { "
            "auto d = make<double>(4); k<<<1, 1>>>(d + 1); }",
            "d 32+8"},
           {"struct S { float* ptr; };\nvoid fill(S* s) { cudaMalloc(&s->ptr, 64); }\nint main() { S s; "
            "fill(&s); "
            "k<<<1, 1>>>(s.ptr + 1); }",
            "s.ptr 64+4"},
           {"struct S { float* ptr; };\nvoid run(S s) { k<<<1, 1>>>(s.ptr); }\nint main() { S a; "
            "cudaMalloc(&a.ptr, 64); run(a); }",
            "a.ptr 64+0"},
           {"float* g;\nvoid make() { cudaMalloc(&g, 64); }\nint main() { make(); k<<<1, 1>>>(g); }",
            "g 64+0"},
           {"struct S { float* ptr; S() { cudaMalloc(&ptr, 64); } void run() { k<<<1, 1>>>(ptr); } };",
            "ptr 64+0"},
           {"struct S { float* ptr; S() { cudaMalloc(&ptr, 64); } };\nint main() { S s; k<<<1, 1>>>(s.ptr); "
            "}",
            "s.ptr 64+0"},
           {"void run(float* p) { k<<<1, 1>>>(p); }", "none"},
           {"void f(float** p) { f(p); }\nint main() { float* d; f(&d); k<<<1, 1>>>(d); }", "none"},
       })
    EXPECT_EQ(buffer_text(FirstLaunch(kernel + text)), buffer) << text;
}

TEST(Buffers, HaveTheTypesOfTheCallThatTheLaunchBelongsTo) {
  const FirstLaunch found(
      "template <typename T> __global__ void k(T* x) {}\n"
      "template <typename T> void run(int n) { T* d; cudaMalloc(&d, n * sizeof(T)); k<T><<<1, 1>>>(d); }\n"
      "int main() { run<double>(4); run<char>(4); run<double>(8); }\n");
  EXPECT_EQ(buffer_text(found), "d 32+0");
  EXPECT_TRUE(found.values.has_instances);
  const auto bytes = [&](int instance) {
    return found.source.evaluate(found.launch, {}, nullptr, instance).buffers[0]->bytes.value;
  };
  EXPECT_EQ(bytes(1), 4);
  EXPECT_EQ(bytes(7), 4) << "the last of the two lists of template arguments";
  EXPECT_EQ(bytes(open_instance), std::nullopt);
}

TEST(Buffers, MayBeVectors) {
  expect_buffers({
      {"int n = 10; thrust::device_vector<float> d(n); k<<<1, 1>>>(thrust::raw_pointer_cast(d.data()));",
       "d 40+0 zeros"},
      {"thrust::device_vector<float> d(10, 1.0f); k<<<1, 1>>>(d.data().get());", "d 40+0"},
      {"thrust::device_vector<int> d(2 * 5); k<<<1, 1>>>(raw_pointer_cast(&d[0]));", "d 40+0 zeros"},
      {"thrust::device_vector<int> d(2 * 5); k<<<1, 1>>>(raw_pointer_cast(&d[1]) + 1);", "d 40+8 zeros"},
      {"thrust::device_vector<int> d = thrust::device_vector<int>(10); int* p = raw_pointer_cast(d.data()); "
       "k<<<1, 1>>>(p + 1);",
       "d 40+4 zeros"},
      {"std::vector<double> h(6); thrust::device_vector<double> d = h; k<<<1, 1>>>(d.data().get());",
       "h 48+0"},
      {"std::vector<double> h(6); thrust::device_vector<double> d(h.begin(), h.end()); k<<<1, "
       "1>>>(d.data().get());",
       "h 48+0"},
      {"thrust::device_vector<float> d; d.resize(8); k<<<1, 1>>>(d.data().get());", "d 32+0 zeros"},
      {"std::string s; s.resize(8); k<<<1, 1>>>(s.data());", "none"},
  });
}

TEST(Buffers, MayBeTensors) {
  const auto text = [](const std::string& body) {
    const std::string source =
        "torch::Tensor f(torch::Tensor x) {\n  const int B = 2, T = 3;\n" + body + "\n}\n";
    return buffer_text(FirstLaunch(source, {}, {{"x.size(0)", 5}}));
  };
  for (const auto& [body, buffer] : std::vector<BufferCase>{
           {"auto o = torch::empty({B, T}); k<<<1, 1>>>(o.data_ptr<float>());", "o 24+0"},
           {"auto o = torch::zeros({B, T}, torch::kHalf); k<<<1, 1>>>((half*)o.data_ptr() + 1);",
            "o 12+2 zeros"},
           {"auto o = at::empty({B, x.size(0)}, x.options()); k<<<1, 1>>>(o.data_ptr<double>());", "o 80+0"},
           {"auto o = torch::empty({B * T}, x.options()); k<<<1, "
            "1>>>(reinterpret_cast<half*>(o.data_ptr()));",
            "o 12+0"},
           {"auto o = torch::empty({T}, x.options()); k<<<1, 1>>>(reinterpret_cast<float4*>(o.data_ptr()));",
            "o ?+0"},
           {"auto opt = torch::TensorOptions().dtype(torch::kInt32); torch::Tensor o = torch::empty({T}, "
            "opt); "
            "k<<<1, 1>>>(o.mutable_data_ptr<int>());",
            "o 12+0"},
           {"auto a = torch::empty({B, T}); auto o = torch::zeros_like(a); k<<<1, 1>>>(o.data_ptr<float>());",
            "o 24+0 zeros"},
           {"auto o = x.new_empty({B, T}); k<<<1, 1>>>(o.data_ptr<float>());", "o 24+0"},
           {"auto o = torch::empty_like(x); k<<<1, 1>>>(o.data_ptr<float>());", "o ?+0"},
           {"k<<<1, 1>>>(x.data_ptr<float>());", "none"},
       })
    EXPECT_EQ(text(body), buffer) << body;
}

TEST(Buffers, KnowWhetherTheyAreCleared) {
  expect_buffers({
      {"float* d; cudaMalloc(&d, 64); cudaMemset(d, 0, 64); k<<<1, 1>>>(d);", "d 64+0 zeros"},
      {"float* d; cudaMalloc(&d, n); CHECK(cudaMemsetAsync(d, 0, n, s)); k<<<1, 1>>>(d);", "d ?+0 zeros"},
      {"float* d; cudaMalloc(&d, 64); cudaMemset(d, 1, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMalloc(&d, 64); cudaMemset(d, 0, 32); k<<<1, 1>>>(d);", "d 64+0"},
      {"float* d; cudaMalloc(&d, 64); cudaMemset(d, 0, 64); cudaMemcpy(d, h, 64, kind); k<<<1, 1>>>(d);",
       "d 64+0"},
      {"float* d; cudaMalloc(&d, 64); k<<<1, 1>>>(d); cudaMemset(d, 0, 64);", "d 64+0"},
      {"float* d; cudaMemset(d, 0, 64); cudaMalloc(&d, 64); k<<<1, 1>>>(d);", "d 64+0"},
      {"auto o = torch::full({4}, -INFINITY); k<<<1, 1>>>(o.data_ptr<float>());", "o 16+0 -inf"},
      {"auto o = torch::full({4}, -std::numeric_limits<float>::infinity()); k<<<1, "
       "1>>>(o.data_ptr<float>());",
       "o 16+0 -inf"},
      {"auto o = torch::full({4}, 0.5f); k<<<1, 1>>>(o.data_ptr<float>());", "o 16+0 0.5"},
      {"auto o = torch::full({4}, x); k<<<1, 1>>>(o.data_ptr<float>());", "o 16+0"},
      {"auto o = torch::ones({4}); k<<<1, 1>>>(o.data_ptr<float>());", "o 16+0 1"},
  });
}

TEST(Buffers, MayHaveStructsAsElements) {
  struct Case {
    std::string members, size, derived_size;
  };
  for (const auto& [members, size, derived_size] : std::vector<Case>{
           {"float x, y; char c;", "d 120+12", "d 320+32"},
           {"char c; double* p; S* next;", "d 240+24", "d 400+40"},
           {"float3 a; float4 b;", "d 320+32", "d 480+48"},
           {"int a[N][2]; static int count; void f(); int g() { return 0; }", "d 320+32", "d 480+48"},
           {"Inner i; short s;", "d 240+24", "d 400+40"},
           {"Unknown u;", "d ?+?", "d ?+?"},
           {"int a : 3;", "d ?+?", "d ?+?"},
           {"virtual void f(); int a;", "d ?+?", "d ?+?"},
           {"", "d ?+?", "d 160+16"}}) {
    const std::string body = " {" + members + "}";
    const std::string rest = ";\nvoid f() { S* d; cudaMalloc(&d, 10 * sizeof(S)); k<<<1, 1>>>(d + 1); }";
    const std::string before =
        "constexpr int N = 4;\nstruct Inner { double d; int i; };\nstruct Derived : Inner { int j; };\n";
    EXPECT_EQ(buffer_text(FirstLaunch(before + "struct S" + body + rest)), size) << members;
    EXPECT_EQ(buffer_text(FirstLaunch(before + "typedef struct" + body + " S" + rest)), size) << members;
    EXPECT_EQ(buffer_text(FirstLaunch(before + "struct __align__(64) S" + body + rest)), "d ?+?") << members;
    EXPECT_EQ(buffer_text(FirstLaunch(before + "struct S : Inner" + body + rest)), derived_size) << members;
    EXPECT_EQ(buffer_text(FirstLaunch(before + "struct S : Derived" + body + rest)), "d ?+?")
        << "members may lie in the padding of a base that is not a plain structure";
  }
}

TEST(Buffers, HaveReasons) {
  const FirstLaunch first(in_main(
      "int n = 1024;\n#define R 3\nfloat* d_in;\ncudaMalloc(&d_in, n * sizeof(float));\nk<<<1, 1>>>(d_in + "
      "R, n);"));
  ASSERT_EQ(first.values.buffers.size(), 2u);
  EXPECT_FALSE(first.values.buffers[1]);
  ASSERT_TRUE(first.values.buffers[0]);
  EXPECT_EQ(first.values.buffers[0]->bytes.reason,
            "allocated in line 6: n * sizeof(float) with n = 1024 (line 3)");
  EXPECT_EQ(first.values.buffers[0]->offset_bytes.reason,
            "from the launch in line 7: d_in + R with R = 3 (line 4)");
  const FirstLaunch asked("void f(int m) { float* d; cudaMalloc(&d, m * 4); k<<<1, 1>>>(d); }");
  EXPECT_EQ(asked.values.buffers[0]->bytes.unknown, (std::vector<std::string>{"m"}));
  EXPECT_EQ(buffer_text(FirstLaunch("void f(int m) { float* d; cudaMalloc(&d, m * 4); k<<<1, 1>>>(d); }",
                                    {{"m", 5}})),
            "d 20+0");
}

}  // namespace
}  // namespace tilescope
