// The parser on NVRTC's output, on parts of it, and on inputs from fuzzing.
#include <cxxabi.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/ptx/text/function_name.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"
#include "profiler/kernels/compile/compiler.hpp"

namespace tilescope::ptx {
namespace {

namespace fs = std::filesystem;

const fs::path kernels_folder = fs::path(TILESCOPE_SOURCE_DIR) / "kernels";

fs::path dependencies() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  return (cache != nullptr ? fs::path(cache) : fs::path(std::getenv("HOME")) / ".cache") /
         "tilescope/dependencies";
}

std::string compile(const std::string& arch, std::optional<std::pair<int, int>> driver = std::nullopt) {
  const fs::path cache = fs::temp_directory_path() / ("tilescope_parser_" + std::to_string(::getpid()));
  const Compiler compiler(Nvrtc::open({{}, dependencies(), driver}), {kernels_folder, cache});
  const KernelDeclaration kernel = Catalogue(kernels_folder).find("flash_scalar");
  std::string text = compiler.compile(kernel, kernel.complete({}), Shape{}, arch).ptx;
  fs::remove_all(cache);
  return text;
}

std::size_t count(const std::string& text, std::string_view word) {
  std::size_t found = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

// Every parsed kernel must have valid indices.
void expect_sound(const std::vector<OperandSyntax>& operands, const Module& module,
                  const Function& function) {
  for (const OperandSyntax& operand : operands) {
    switch (operand.kind) {
      case OperandSyntax::Kind::reg:
        EXPECT_LT(operand.index, function.registers.size());
        break;
      case OperandSyntax::Kind::label:
        EXPECT_LE(operand.index, function.body.size());
        break;
      case OperandSyntax::Kind::table:
        EXPECT_LT(operand.index, function.branch_tables.size());
        break;
      case OperandSyntax::Kind::variable:
        EXPECT_LT(operand.index, operand.is_parameter ? function.parameters.size() + function.results.size()
                                 : operand.is_local   ? function.variables.size()
                                                      : module.variables.size());
        break;
      default:
        break;
    }
    expect_sound(operand.elements, module, function);
  }
}
void expect_sound(const Module& module) {
  for (const Location& location : module.locations) {
    std::size_t calls = 0;
    for (std::uint32_t i = location.inlined_at; i != no_index; i = module.locations.at(i).inlined_at) ++calls;
    EXPECT_LE(calls, 64u);
  }
  for (const Function& function : module.functions) {
    for (const InstructionSyntax& instruction : function.body) {
      EXPECT_FALSE(instruction.words.empty());
      EXPECT_TRUE(instruction.location == no_index || instruction.location < module.locations.size());
      EXPECT_TRUE(instruction.guard == no_index ||
                  function.registers.at(instruction.guard).type == Type::pred);
      expect_sound(instruction.operands, module, function);
    }
    for (const auto& table : function.branch_tables) {
      for (const std::uint32_t target : table) EXPECT_LE(target, function.body.size());
    }
  }
}

class Kernels : public testing::TestWithParam<const char*> {};

TEST_P(Kernels, AreReadWhole) {
  const std::string text = compile(GetParam());
  const Module module = parse(text);
  expect_sound(module);
  EXPECT_EQ(module.target, GetParam());
  const Function* kernel = module.find("flash_scalar");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_entry);
  EXPECT_EQ(kernel->parameters.size(), count(text, "\t.param"));
  EXPECT_GT(kernel->max_threads, 0u);
  // Every line of the body with a semicolon that is not a directive is an instruction.
  const std::size_t begin = text.find('{', text.find(".entry"));
  const std::string body = text.substr(begin, text.find("\n}", begin) - begin);
  EXPECT_EQ(kernel->body.size(), count(body, ";\n") - count(body, ".reg ") - count(body, ".pragma "));
  for (const InstructionSyntax& instruction : kernel->body) {
    // An instruction has the position of its text.
    std::size_t line_start = 0;
    for (std::uint32_t line = 1; line < instruction.position.line; ++line)
      line_start = text.find('\n', line_start) + 1;
    EXPECT_EQ(
        text.compare(line_start + instruction.position.column - 1, instruction.text.size(), instruction.text),
        0);
  }
}

TEST_P(Kernels, KnowTheirSourceLines) {
  const Module module = parse(compile(GetParam()));
  std::set<std::string> files, functions;
  for (const SourceFileName& file : module.files) files.insert(fs::path(file.path).filename());
  for (const Location& location : module.locations) functions.insert(location.function);
  EXPECT_TRUE(files.contains("flash_scalar.cu"));
  EXPECT_TRUE(files.contains("shared_tile.cuh"));
  EXPECT_TRUE(functions.contains("scores")) << "a function of the kernel's file";
  EXPECT_TRUE(functions.contains("SharedTile::index")) << "a member of a template";
  bool is_nested = false;
  for (const InstructionSyntax& instruction : module.find("flash_scalar")->body) {
    if (instruction.location == no_index) continue;
    std::uint32_t outermost = instruction.location;
    std::size_t calls = 0;
    for (; module.locations[outermost].inlined_at != no_index; ++calls)
      outermost = module.locations[outermost].inlined_at;
    is_nested |= calls >= 2;
    EXPECT_TRUE(module.locations[outermost].function.empty()) << "a chain ends in the kernel";
  }
  EXPECT_TRUE(is_nested);
}
INSTANTIATE_TEST_SUITE_P(Parser, Kernels, testing::Values("sm_80", "sm_86", "sm_89", "sm_90a"),
                         [](const auto& target) { return std::string(target.param); });

TEST(Kernels, OfNvrtc12AreRead) {
  if (!fs::exists(dependencies() / "cuda12/lib"))
    GTEST_SKIP() << "NVRTC 12 is downloaded by ./tilescope test";
  const Module module = parse(compile("sm_89", std::pair{12, 2}));
  expect_sound(module);
  EXPECT_EQ(module.version_major, 8);
  EXPECT_NE(module.find("flash_scalar"), nullptr);
}

TEST(Kernels, CutAnywhereAreRefusedInWords) {
  const std::string text = compile("sm_89");
  const std::size_t end_of_kernel = text.find("\n}", text.find(".entry")) + 2;
  std::size_t refused = 0;
  for (std::size_t length = 0; length < text.size(); length += 97) {
    try {
      expect_sound(parse(text.substr(0, length)));
    } catch (const PtxError& error) {
      ++refused;
      EXPECT_TRUE(std::string_view(error.what()).starts_with("PTX line ")) << error.what();
      EXPECT_GE(error.position.line, 1u);
      EXPECT_GE(error.position.column, 1u);
      continue;
    }
    // A module may end between its variables and after the kernel.
    EXPECT_TRUE(length > end_of_kernel || length < text.find(".visible")) << length;
  }
  EXPECT_GT(refused, text.size() / 97 / 2);
}

// The fuzzer's findings and its corpus: the seeds, and from an hour's run the inputs of at most 120 bytes that reach
// code that no other input reaches (minimised.tar.xz, which CMake unpacks into the build folder). No crash, no hang.
TEST(Fuzzed, TextsAreReadOrRefused) {
  const fs::path folder = "profiler/execution/ptx/tests/parser_fuzz";
  const fs::path sources = fs::path(TILESCOPE_SOURCE_DIR) / folder;
  std::size_t replayed = 0;
  for (const fs::path& path :
       {sources / "corpus", sources / "findings", fs::path(TILESCOPE_BUILD_DIR) / folder / "minimised"}) {
    if (!fs::exists(path)) continue;
    for (const auto& entry : fs::directory_iterator(path)) {
      if (entry.path().extension() == ".xz") continue;
      SCOPED_TRACE(entry.path().filename().string());
      std::ifstream file(entry.path(), std::ios::binary);
      const std::string text{std::istreambuf_iterator<char>(file), {}};
      ++replayed;
      try {
        const Module module = parse(text);
        expect_sound(module);
        for (const Function& function : module.functions) {
          if (function.is_entry) build_program(module, function.name);
        }
      } catch (const PtxError& error) {
        EXPECT_FALSE(std::string_view(error.what()).empty());
      }
    }
  }
  EXPECT_GT(replayed, 250u);
}

// The demangler of the runtime writes the same functions out in full.
TEST(FunctionNames, AgreeWithTheDemangler) {
  for (const char* mangled :
       {"_Z8warp_maxf", "_Z11load_packetILi8EE6PacketIXT_EEPKv",
        "_ZN10SharedTileIL10SmemLayout2ELi64ELi8EE5indexEii", "_ZN3foo3BarC1Ei", "_ZN3foo3BarD2Ev",
        "_ZN3fooplERKNS_3BarES2_", "_ZZ6kernelPfENKUlvE_clEv", "_ZN12_GLOBAL__N_14loadEPKf",
        "_ZNSt6vectorIiSaIiEE9push_backEOi", "_ZL5localv"}) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> full(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                      std::free);
    ASSERT_EQ(status, 0) << mangled;
    const std::string name = short_function_name(mangled);
    EXPECT_FALSE(name.starts_with("_Z")) << mangled;
    const std::string last = name.substr(name.rfind("::") == std::string::npos ? 0 : name.rfind("::") + 2);
    EXPECT_NE(std::string(full.get()).find(last), std::string::npos) << name << " of " << full.get();
  }
}

struct Named {
  const char* mangled;
  const char* shown;
};
class ShortNames : public testing::TestWithParam<Named> {};
TEST_P(ShortNames, LeaveOutArguments) {
  EXPECT_EQ(short_function_name(GetParam().mangled), GetParam().shown);
}
INSTANTIATE_TEST_SUITE_P(
    FunctionNames, ShortNames,
    testing::Values(Named{"_ZN10SharedTileIL10SmemLayout2ELi64ELi8EE5indexEii", "SharedTile::index"},
                    Named{"_ZN3foo3BarC1Ei", "foo::Bar::Bar"}, Named{"_ZN3foo3BarD2Ev", "foo::Bar::~Bar"},
                    Named{"_ZN3fooplERKNS_3BarES2_", "foo::operator+"},
                    Named{"_ZZ6kernelPfENKUlvE_clEv", "{lambda}::operator()"},
                    Named{"_ZN12_GLOBAL__N_14loadEPKf", "(anonymous namespace)::load"},
                    Named{"_ZNSt6vectorIiSaIiEE9push_backEOi", "std::vector::push_back"},
                    Named{"_ZL5localv", "local"}, Named{"_ZZ4mineE3row", "row"},
                    Named{"_ZZ3sumILi32EEfPKfE7partial", "partial"}, Named{"plain", "plain"}, Named{"", ""},
                    Named{"_Z", "_Z"}, Named{"_ZN3fo", "_ZN3fo"},
                    Named{"_Z99999999999999999999f", "_Z99999999999999999999f"}));

TEST(FunctionNames, OfAnyLengthStayShort) {
  EXPECT_EQ(short_function_name(std::string(5000, 'a')).size(), 120u);
  EXPECT_EQ(short_function_name("_Z4999" + std::string(4999, 'a')).size(), 120u);
  std::string nested = "_Z1fI";
  for (int i = 0; i < 100000; ++i) nested += "N1aI";
  EXPECT_EQ(short_function_name(nested).size(), 120u);
}

}  // namespace
}  // namespace tilescope::ptx
