#include <algorithm>
#include <random>

#include "profiler/execution/sass/tests/cubin_fixture.hpp"

namespace tilescope::sass {
namespace {

const std::string scale_source = R"(
__constant__ int table[4] = {10, 20, 30, 40};
__device__ int* pointer;
extern "C" __global__ void __launch_bounds__(64) scale(float* x, int n) {
  __shared__ float kept[64];
  kept[threadIdx.x] = x[threadIdx.x] * table[n & 3];
  __syncthreads();
  x[threadIdx.x] = kept[threadIdx.x ^ 1] + *pointer;
}
extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }
)";

std::string problem_with(std::span<const char> file) {
  try {
    read_cubin(file);
    return "none";
  } catch (const CubinError& error) {
    return error.what();
  }
}

bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class CubinErrorTest : public CubinTest {
 protected:
  /// Expects that the cubin, changed so, is refused with a sentence that has this part.
  template <class Change>
  static void expect_problem(const Change& change, const std::string& part,
                             const std::string& architecture = "sm_89") {
    CubinEditor editor(compile(scale_source, architecture));
    change(editor);
    EXPECT_PRED2(says, problem_with(editor.bytes), part);
  }
  /// The first record of .nv.info* with this number: its place in the file.
  static std::size_t record(const CubinEditor& editor, const std::string& section, Attribute attribute) {
    const Elf64_Shdr header = editor.section(section);
    const std::span<const char> info = std::span(editor.bytes).subspan(header.sh_offset, header.sh_size);
    std::size_t at = 0;
    for (const InfoAttribute& one : read_info(info, section)) {
      if (one.is(attribute)) return header.sh_offset + at;
      at += 4 + (one.format == 4 ? one.value.size() : 0);
    }
    ADD_FAILURE() << "no attribute " << attribute_name(static_cast<std::uint8_t>(attribute));
    return header.sh_offset;
  }
  /// Sets a 32-bit number of a record's value.
  static void set_word(CubinEditor& editor, std::size_t at, std::size_t word, std::uint32_t value) {
    editor.edit<std::uint32_t>(at + 4 + 4 * word, [&](std::uint32_t& place) { place = value; });
  }
};

TEST_F(CubinErrorTest, FilesThatAreNoCubins) {
  const std::string text =
      "this is no cubin, but long enough for a header of an ELF file: these are its words";
  EXPECT_PRED2(says, problem_with(text), "not an ELF file");
  EXPECT_PRED2(says, problem_with({}), "not an ELF file");
  expect_problem([](auto& it) { it.header([](auto& header) { header.e_machine = EM_X86_64; }); },
                 "machine 62");
  expect_problem([](auto& it) { it.header([](auto& header) { header.e_type = ET_REL; }); }, "nvlink");
  expect_problem([](auto& it) { it.bytes[EI_CLASS] = ELFCLASS32; }, "not a 64-bit");
  expect_problem([](auto& it) { it.bytes[EI_DATA] = ELFDATA2MSB; }, "not a 64-bit little-endian");
}

TEST_F(CubinErrorTest, OtherArchitecturesAndNewerForms) {
  const auto sm = [](std::uint32_t number) {
    return [=](auto& it) { it.header([=](auto& header) { header.e_flags = number << 8; }); };
  };
  expect_problem(sm(75), "is for sm_75: only sm_80 to sm_90a");
  expect_problem(sm(100), "is for sm_100");
  expect_problem(sm(120), "is for sm_120");
  expect_problem([](auto& it) { it.bytes[EI_ABIVERSION] = 9; }, "may be of a newer CUDA version");
  expect_problem([](auto& it) { it.bytes[EI_OSABI] = 0x42; }, "may be of a newer CUDA version");
}

TEST_F(CubinErrorTest, TruncatedFiles) {
  const std::vector<char> whole = compile(scale_source, "sm_90");
  for (std::size_t bytes = 0; bytes < whole.size(); bytes += 41)
    EXPECT_NE(problem_with(std::span(whole).first(bytes)), "none") << bytes << " bytes";
  expect_problem([](auto& it) { it.bytes.resize(it.bytes.size() / 2); }, "truncated");
}

TEST_F(CubinErrorTest, SectionsOutsideOfTheFile) {
  expect_problem([](auto& it) { it.section(".text.scale", [](auto& code) { code.sh_offset = 1u << 30; }); },
                 "section .text.scale lies outside of the cubin");
  expect_problem([](auto& it) { it.section(".text.scale", [](auto& code) { code.sh_size = 1u << 30; }); },
                 "section .text.scale lies outside of the cubin");
  expect_problem([](auto& it) { it.section(".text.scale", [](auto& code) { code.sh_size = ~0ull - 15; }); },
                 "section .text.scale lies outside of the cubin");
  expect_problem([](auto& it) { it.header([](auto& header) { header.e_shoff = ~0ull - 8; }); }, "truncated");
  expect_problem([](auto& it) { it.section(".text.scale", [](auto& code) { code.sh_size -= 8; }); },
                 "no multiple of 16");
  expect_problem([](auto& it) { it.section(".text.scale", [](auto& code) { code.sh_type = SHT_NOBITS; }); },
                 "has no code");
  expect_problem(
      [](auto& it) { it.section(".nv.shared.scale", [](auto& data) { data.sh_size = 1ull << 40; }); },
      "bytes of shared memory");
  expect_problem([](auto& it) { it.section(".nv.shared.scale", [](auto& data) { data.sh_size = 256; }); },
                 "256 bytes of shared memory", "sm_90");
}

TEST_F(CubinErrorTest, GlobalMemoryLargerThanMemoryIsNotAllocated) {
  CubinEditor editor(compile(scale_source, "sm_89"));
  editor.section(".nv.global", [](auto& data) { data.sh_size = 1ull << 60; });
  const Cubin cubin = read_cubin(editor.bytes);
  EXPECT_EQ(cubin.data_section(".nv.global")->bytes, 1ull << 60);
  EXPECT_TRUE(cubin.data_section(".nv.global")->contents.empty());
}

TEST_F(CubinErrorTest, StrippedFiles) {
  expect_problem([](auto& it) { it.section(".symtab", [](auto& table) { table.sh_size = 0; }); }, "stripped");
  expect_problem([](auto& it) { it.section(".symtab", [](auto& table) { table.sh_name += 1; }); },
                 "stripped");
}

TEST_F(CubinErrorTest, KernelsThatAreNotThereAreAnsweredWithThoseThatAre) {
  const Cubin cubin = read(scale_source, "sm_89");
  try {
    cubin.kernel("scal");
    FAIL();
  } catch (const CubinError& error) {
    EXPECT_PRED2(says, error.what(), "has no kernel scal; it has ");
    EXPECT_PRED2(says, error.what(), "twice");
    EXPECT_PRED2(says, error.what(), "scale");
  }
  EXPECT_EQ(cubin.function("scal"), nullptr);
  EXPECT_EQ(cubin.data_section(".nv.nothing"), nullptr);
  EXPECT_EQ(cubin.constant_bank(5, "scale"), nullptr);
}

TEST_F(CubinErrorTest, DamagedInformation) {
  const auto word = [](const std::string& section, Attribute attribute, std::size_t index,
                       std::uint32_t value) {
    return [=](auto& it) { set_word(it, record(it, section, attribute), index, value); };
  };
  const std::string of_scale = ".nv.info.scale";
  expect_problem(word(of_scale, Attribute::exit_offsets, 0, 0x10'0000), "no instruction at address 0x100000");
  expect_problem(word(of_scale, Attribute::exit_offsets, 0, 0x18), "no instruction at address 0x18");
  expect_problem(word(of_scale, Attribute::parameter_bank, 1, 0xffff'ffff), "outside of the");
  expect_problem(word(of_scale, Attribute::parameter, 1, 0x0000'0007), "parameter 1 is missing");
  expect_problem(word(of_scale, Attribute::parameter, 2, 0xffff'ffff), "parameter 1 lies outside");
  expect_problem(word(".nv.info", Attribute::register_count, 0, 0xffff'ffff), "no symbol 4294967295");
  expect_problem(word(".nv.info", Attribute::register_count, 1, 4000), "4000 registers");
  expect_problem(word(".nv.info", Attribute::min_stack_size, 1, 0x7fff'ffff), "a stack of 2147483647 bytes");
  const auto place = [&](auto& it) { return record(it, of_scale, Attribute::max_threads); };
  expect_problem([&](auto& it) { it.bytes[place(it)] = 9; }, "unknown format 9");
  expect_problem([&](auto& it) { it.bytes[place(it) + 3] = 0x7f; }, "EIATTR_MAX_THREADS goes beyond the end");
  expect_problem([](auto& it) { it.section(".nv.info.scale", [](auto& info) { info.sh_size -= 6; }); },
                 "section .nv.info.scale cannot be read at byte");
}

TEST_F(CubinErrorTest, UnknownAttributesAndRelocationsKeepTheirNumbers) {
  CubinEditor editor(compile(scale_source, "sm_89"));
  const std::size_t place = record(editor, ".nv.info.scale", Attribute::max_threads);
  editor.bytes[place + 1] = 0x7e;
  const Cubin cubin = read_cubin(editor.bytes);
  const CubinKernel& kernel = cubin.kernel("scale");
  EXPECT_FALSE(kernel.max_threads);
  const auto kept = std::find_if(kernel.attributes.begin(), kernel.attributes.end(),
                                 [](const InfoAttribute& one) { return one.number == 0x7e; });
  ASSERT_NE(kept, kernel.attributes.end());
  EXPECT_EQ(kept->words(), (std::vector<std::uint32_t>{64, 1, 1}));
  EXPECT_EQ(attribute_name(0x7e), "attribute 0x7e");
  EXPECT_EQ(attribute_name(0x2f), "EIATTR_REGCOUNT");
  EXPECT_EQ(attribute_name(0x56), "attribute 0x56");
  EXPECT_EQ(relocation_name(56), "R_CUDA_ABS32_LO_32");
  EXPECT_EQ(relocation_name(0), "relocation 0");
  EXPECT_EQ(relocation_name(9999), "relocation 9999");
}

/// A cubin that can be read must be of one piece.
void expect_consistent(const Cubin& cubin) {
  for (const CubinKernel& kernel : cubin.kernels) {
    const CubinFunction& code = cubin.functions.at(kernel.function);
    EXPECT_EQ(code.name, kernel.name);
    for (const std::uint32_t address : kernel.exits) EXPECT_LT(address, code.bytes());
    for (const KernelParameter& parameter : kernel.parameters)
      EXPECT_LE(std::uint64_t{parameter.offset} + parameter.bytes, kernel.parameter_bytes);
    for (const std::size_t symbol : kernel.externs) EXPECT_LT(symbol, cubin.symbols.size());
  }
  for (const CubinFunction& function : cubin.functions)
    for (const Relocation& relocation : function.relocations) {
      EXPECT_LT(relocation.offset, function.bytes());
      EXPECT_LT(relocation.symbol, cubin.symbols.size());
    }
}

void read_whatever_it_is(std::span<const char> file, std::size_t& refused) {
  try {
    expect_consistent(read_cubin(file));
  } catch (const CubinError& error) {
    ++refused;
    EXPECT_NE(std::string(error.what()), "");
  }
}

TEST_F(CubinErrorTest, DamageEndsInASentence) {
  std::mt19937 random(16);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  std::size_t refused = 0;
  for (const auto& [architecture, cuda] : {std::pair("sm_89", 12), std::pair("sm_90", 13)}) {
    const std::vector<char> whole = compile(scale_source, architecture, cuda);
    const CubinEditor editor(whole);
    const auto header = editor.get<Elf64_Ehdr>(0);
    const auto range = [&](const std::string& name) {
      return std::pair<std::size_t, std::size_t>(editor.section(name).sh_offset,
                                                 editor.section(name).sh_size);
    };
    const std::vector<std::pair<std::size_t, std::size_t>> places = {
        {0, sizeof(Elf64_Ehdr)}, {header.e_shoff, header.e_shnum * sizeof(Elf64_Shdr)},
        range(".nv.info"),       range(".nv.info.scale"),
        range(".symtab"),        range(".shstrtab"),
        range(".strtab"),        {0, whole.size()}};
    for (int run = 0; run < 4000; ++run) {
      std::vector<char> damaged = whole;
      const auto& [begin, bytes] = places[below(places.size())];
      for (std::size_t flips = 1 + below(4); flips > 0; --flips)
        damaged[begin + below(bytes)] = static_cast<char>(below(256));
      if (below(16) == 0) damaged.resize(below(damaged.size()));
      read_whatever_it_is(damaged, refused);
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_LT(refused, 7900u) << "some damage is in what is not read";
}

TEST_F(CubinErrorTest, RandomBytesEndInASentence) {
  std::mt19937 random(90);
  std::size_t refused = 0;
  const std::vector<char> whole = compile(scale_source, "sm_89");
  for (int run = 0; run < 500; ++run) {
    std::vector<char> bytes(static_cast<std::size_t>(run) * 3);
    for (char& byte : bytes) byte = static_cast<char>(random());
    // Half of them begin as a cubin does.
    if (run % 2 == 0) std::copy_n(whole.begin(), std::min<std::size_t>(bytes.size(), 40), bytes.begin());
    read_whatever_it_is(bytes, refused);
  }
  EXPECT_EQ(refused, 500u);
}

}  // namespace
}  // namespace tilescope::sass
