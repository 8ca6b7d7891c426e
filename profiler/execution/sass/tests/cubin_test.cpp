#include "profiler/execution/sass/cubin.hpp"

#include <algorithm>
#include <cstring>

#include "profiler/execution/sass/tests/cubin_fixture.hpp"

namespace tilescope::sass {
namespace {

const std::string shared_source = R"(
extern __shared__ float dynamic[];
struct Pair { double x; char c; };
extern "C" __global__ void __launch_bounds__(256) arrays(const float* in, float* out, int n, Pair pair) {
  __shared__ float first[33];
  __shared__ __align__(128) float second[70];
  first[threadIdx.x & 31] = in[threadIdx.x];
  second[threadIdx.x & 63] = in[threadIdx.x + 1];
  __syncthreads();
  out[threadIdx.x] = first[n & 31] + second[n & 63] + dynamic[threadIdx.x] + float(pair.x) + pair.c;
}
extern "C" __global__ void dynamic_only(float* out) { out[threadIdx.x] = dynamic[threadIdx.x ^ 1]; }
extern "C" __global__ void nothing() {}
)";

TEST_F(CubinTest, ReadsBothFormsForEachArchitecture) {
  for (const int cuda : {12, 13}) {
    for (const std::string architecture : {"sm_80", "sm_86", "sm_89", "sm_90", "sm_90a"}) {
      SCOPED_TRACE(architecture + " CUDA " + std::to_string(cuda));
      const Cubin cubin = read(shared_source, architecture, cuda);
      const bool is_hopper = architecture.starts_with("sm_9");
      EXPECT_EQ(cubin.architecture, architecture);
      const CubinKernel& kernel = cubin.kernel("arrays");
      EXPECT_EQ(kernel.parameter_base, is_hopper ? 0x210u : 0x160u);
      EXPECT_EQ(kernel.parameter_bytes, 40u);
      EXPECT_EQ(kernel.parameters, (std::vector<KernelParameter>{{0, 8}, {8, 8}, {16, 4}, {24, 16}}));
      EXPECT_GE(kernel.registers, 8u);
      EXPECT_LE(kernel.registers, 32u);
      EXPECT_EQ(kernel.barriers, 1u);
      EXPECT_EQ(kernel.stack_bytes, 0u);
      EXPECT_EQ(kernel.max_threads, (std::array<std::uint32_t, 3>{256, 1, 1}));
      EXPECT_FALSE(kernel.required_threads);
      EXPECT_EQ(cubin.constant_bank(0, "arrays")->data.bytes, kernel.parameter_base + 40);
      const CubinFunction& code = cubin.functions.at(kernel.function);
      EXPECT_EQ(cubin.function("arrays"), &code);
      EXPECT_TRUE(code.is_kernel);
      EXPECT_GT(code.words.size(), 20u);
      std::vector<std::uint32_t> exits;
      for (std::uint32_t i = 0; i < code.words.size(); ++i)
        if ((code.words[i].low & 0xfff) == 0x94d) exits.push_back(16 * i);
      EXPECT_EQ(kernel.exits, exits);
      EXPECT_FALSE(exits.empty());
      EXPECT_EQ(cubin.kernels.size(), 3u);
      EXPECT_TRUE(cubin.kernel("nothing").parameters.empty());
    }
  }
}

TEST_F(CubinTest, StaticSharedMemoryIsWhatFollowsTheReservedBytes) {
  for (const int cuda : {12, 13}) {
    for (const std::string architecture : {"sm_89", "sm_90a"}) {
      const Cubin cubin = read(shared_source, architecture, cuda);
      const CubinKernel& arrays = cubin.kernel("arrays");
      EXPECT_EQ(arrays.reserved_shared_bytes, architecture == "sm_89" ? 0u : 1024u);
      EXPECT_GE(arrays.static_shared_bytes, 33u * 4 + 70u * 4);
      EXPECT_LT(arrays.static_shared_bytes, 33u * 4 + 70u * 4 + 2 * 128);
      EXPECT_EQ(arrays.shared_alignment, 128u);
      EXPECT_EQ(cubin.kernel("dynamic_only").static_shared_bytes, 0u);
      EXPECT_EQ(cubin.kernel("dynamic_only").reserved_shared_bytes, arrays.reserved_shared_bytes);
    }
  }
}

TEST_F(CubinTest, TheCodeOfSm90HasTheReservedBytesAsALiteral) {
  const Cubin cubin = read(shared_source, "sm_90");
  const std::vector<InstructionWord>& words = cubin.function("dynamic_only")->words;
  const auto moves = [&](const InstructionWord& word) {
    const std::uint64_t opcode = word.low & 0xfff;
    return (opcode == 0x882 || opcode == 0x802) &&  // UMOV, MOV with an immediate
           immediate(word) == cubin.kernel("dynamic_only").reserved_shared_bytes;
  };
  EXPECT_EQ(std::count_if(words.begin(), words.end(), moves), 1);
}

const std::string variables_source = R"(
__constant__ int table[4] = {10, 20, 30, 40};
__device__ float zeros[25];
__device__ int numbers[3] = {7, 8, 9};
__device__ int* second = &numbers[1];
extern "C" __global__ void use(float* out, int n) {
  out[threadIdx.x] = table[n] + zeros[n] + numbers[n] + *second;
  zeros[n] = 1;
}
)";

/// The 32-bit number at a place of a section; 0 behind what the file has of it.
std::int32_t number_at(const DataSection& section, std::uint64_t offset) {
  std::int32_t number = 0;
  if (offset + sizeof(number) <= section.contents.size())
    std::memcpy(&number, &section.contents[offset], sizeof(number));
  return number;
}

TEST_F(CubinTest, VariablesAreInTheirSections) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    const Cubin cubin = read(variables_source, architecture);
    std::map<std::string, CubinSymbol> variables;
    for (const CubinSymbol& variable : cubin.variables) variables[variable.name] = variable;
    ASSERT_EQ(variables.size(), 4u);
    const DataSection* constants = cubin.data_section(variables["table"].section);
    ASSERT_NE(constants, nullptr);
    EXPECT_EQ(constants, &cubin.constant_bank(3, "use")->data);
    EXPECT_EQ(variables["table"].bytes, 16u);
    EXPECT_EQ(number_at(*constants, variables["table"].offset + 8), 30);
    EXPECT_EQ(variables["zeros"].section, ".nv.global");
    EXPECT_GE(cubin.data_section(".nv.global")->bytes, 100u);
    EXPECT_TRUE(cubin.data_section(".nv.global")->contents.empty());
    const DataSection* initial = cubin.data_section(variables["numbers"].section);
    ASSERT_NE(initial, nullptr);
    EXPECT_EQ(number_at(*initial, variables["numbers"].offset + 4), 8);
  }
}

TEST_F(CubinTest, RelocationsNameTheSymbolsWhoseAddressesAreWanted) {
  for (const std::string architecture : {"sm_80", "sm_90"}) {
    const Cubin cubin = read(variables_source, architecture);
    const DataSection& addresses = cubin.constant_bank(4, "use")->data;
    std::vector<std::string> names;
    for (const Relocation& relocation : addresses.relocations) {
      EXPECT_EQ(relocation_name(relocation.type), "R_CUDA_64");
      EXPECT_LE(relocation.offset + 8, addresses.bytes);
      names.push_back(cubin.symbols.at(relocation.symbol).name);
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"numbers", "second", "zeros"}));
    const std::vector<Relocation>& pointer = cubin.data_section(".nv.global.init")->relocations;
    ASSERT_EQ(pointer.size(), 1u);
    EXPECT_EQ(relocation_name(pointer[0].type), "R_CUDA_G64");
    EXPECT_EQ(cubin.symbols.at(pointer[0].symbol).name, "numbers");
    EXPECT_EQ(pointer[0].addend, 4);
  }
}

const std::string calls_source = R"(
extern "C" __device__ __noinline__ float half_of(float x) { return x * 0.5f + __expf(x); }
extern "C" __device__ __noinline__ int factorial(int n) {
  volatile int kept[4];
  kept[n & 3] = n;
  return n <= 1 ? 1 : n * factorial(n - 1) + kept[(n + 1) & 3];
}
extern "C" __global__ void once(float* x) { x[threadIdx.x] = half_of(x[threadIdx.x]); }
extern "C" __global__ void recursive(float* x, int n) { x[threadIdx.x] = factorial(n); }
extern "C" __global__ void spills(int* x, int n) {
  int kept[40];
  for (int i = 0; i < 40; ++i) kept[i] = 0;
  for (int i = 0; i < n; ++i) kept[x[i] % 40] += i;
  for (int i = 0; i < 40; ++i) x[i] = kept[i];
}
extern "C" int printf(const char*, ...);
extern "C" __global__ void prints(int n) { printf("%d", n); }
)";

TEST_F(CubinTest, FunctionsInsideTheCodeOfAKernelAreItsEntries) {
  for (const std::string architecture : {"sm_89", "sm_90"}) {
    const Cubin cubin = read(calls_source, architecture);
    const CubinFunction& code = *cubin.function("once");
    ASSERT_EQ(code.entries.size(), 2u);
    EXPECT_EQ(code.entries[0].name, "once");
    EXPECT_EQ(code.entries[0].offset, 0u);
    EXPECT_EQ(code.entries[0].kind, SymbolKind::kernel);
    EXPECT_EQ(code.entries[1].name, "$once$half_of");
    EXPECT_EQ(code.entries[1].kind, SymbolKind::function);
    EXPECT_GT(code.entries[1].offset, 0u);
    EXPECT_LE(code.entries[1].offset + code.entries[1].bytes, code.bytes());
    const CubinKernel& prints = cubin.kernel("prints");
    ASSERT_EQ(prints.externs.size(), 1u);
    EXPECT_EQ(cubin.symbols.at(prints.externs[0]).name, "vprintf");
    EXPECT_EQ(cubin.symbols.at(prints.externs[0]).section, "");
  }
}

TEST_F(CubinTest, StackBytesAreUnknownForRecursion) {
  const Cubin cubin = read(calls_source, "sm_89");
  EXPECT_EQ(cubin.kernel("spills").stack_bytes, 160u);
  EXPECT_EQ(cubin.kernel("once").stack_bytes, 0u);
  EXPECT_FALSE(cubin.kernel("recursive").stack_bytes);
}

TEST_F(CubinTest, JumpTablesAreInConstantBank2) {
  const std::string source = R"(
extern "C" __global__ void choose(float* x, int n) {
  float v = x[threadIdx.x];
  switch (n) {
    case 0: v = sinf(v); break;
    case 1: v = v * v; break;
    case 2: v = expf(v); break;
    case 3: v = logf(v); break;
    case 4: v = v / 7; break;
    case 5: v = sqrtf(v); break;
    case 6: v = tanf(v); break;
    case 7: v = cosf(v); break;
    default: v = 0;
  }
  x[threadIdx.x] = v;
}
)";
  for (const std::string architecture : {"sm_89", "sm_90"}) {
    const Cubin cubin = read(source, architecture);
    const CubinKernel& kernel = cubin.kernel("choose");
    const DataSection& table = cubin.constant_bank(2, "choose")->data;
    ASSERT_FALSE(kernel.indirect_branches.empty());
    for (const IndirectBranch& branch : kernel.indirect_branches) {
      EXPECT_EQ(cubin.function("choose")->words.at(branch.address / 16).low & 0xfff, 0x949u) << "BRX";
      ASSERT_GT(branch.targets.size(), 1u);
      std::vector<std::uint32_t> entries;
      for (std::uint64_t at = 0; at < table.bytes; at += 4)
        entries.push_back(static_cast<std::uint32_t>(number_at(table, at)));
      EXPECT_NE(std::search(entries.begin(), entries.end(), branch.targets.begin(), branch.targets.end()),
                entries.end());
    }
  }
}

TEST_F(CubinTest, MoreThan4096BytesOfParametersHaveAPlaceOfTheirOwn) {
  const std::string source = R"(
struct Large { float x[2000]; };
extern "C" __global__ void large(Large p, float* out, int n) { out[0] = p.x[n]; }
)";
  const std::vector<KernelParameter> parameters = {{0, 8000}, {8000, 8}, {8008, 4}};
  EXPECT_EQ(read(source, "sm_80").kernel("large").parameter_base, 0x1a80u);
  EXPECT_EQ(read(source, "sm_80").kernel("large").parameters, parameters);
  EXPECT_EQ(read(source, "sm_90").kernel("large").parameter_base, 0x210u);
  EXPECT_EQ(read(source, "sm_90").kernel("large").parameters, parameters);
}

TEST_F(CubinTest, LaunchBoundsBarriersAndClusters) {
  const std::string source = R"(
extern "C" __global__ void __launch_bounds__(96) named(float* x) {
  x[0] = 1;
  asm volatile("bar.sync 3, 64;");
  x[1] = 2;
}
#if __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(4, 2, 1) cluster(float* x) { x[0] = 1; }
#endif
)";
  for (const int cuda : {12, 13}) {
    const Cubin old = read(source, "sm_86", cuda);
    EXPECT_EQ(old.kernel("named").barriers, 4u) << "barriers 0 to 3";
    EXPECT_EQ(old.kernel("named").max_threads, (std::array<std::uint32_t, 3>{96, 1, 1}));
    EXPECT_FALSE(old.kernel("named").cluster);
  }
  EXPECT_EQ(read(source, "sm_90").kernel("cluster").cluster, (std::array<std::uint32_t, 3>{4, 2, 1}));
}

}  // namespace
}  // namespace tilescope::sass
