#include "profiler/execution/sass/disassembler.hpp"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <span>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "profiler/kernels/compile/compiler.hpp"

namespace tilescope::sass {
namespace {

namespace fs = std::filesystem;

const fs::path kernels_folder = fs::path(TILESCOPE_SOURCE_DIR) / "kernels";

class DisassemblerTest : public testing::Test {
 protected:
  DisassemblerTest() : scratch(fs::temp_directory_path() / ("tilescope_sass_" + std::to_string(::getpid()))) {
    fs::remove_all(scratch);
    fs::create_directories(scratch);
    setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1);
    dependencies = find_installation().dependencies;
  }
  ~DisassemblerTest() override { fs::remove_all(scratch); }

  /// A program in the place of nvdisasm that prints this.
  void write_program(const std::string& folder, const std::string& prints) const {
    fs::create_directories(scratch / folder);
    const fs::path file = scratch / folder / "nvdisasm";
    std::ofstream(file) << "#!/bin/sh\necho '" << prints << "'\n";
    fs::permissions(file, fs::perms::owner_all);
  }
  NvdisasmSearch search() const {
    return {scratch / "toolkit", scratch / "downloads",
            (scratch / "none").string() + "::" + (scratch / "path").string()};
  }
  static std::string release(const std::string& version) {
    return "Cuda compilation tools, release 9.9, V" + version;
  }
  Nvrtc nvrtc() const { return Nvrtc::open({{}, dependencies, std::nullopt}); }
  CompiledKernel compile(const std::string& name, const std::string& architecture) const {
    const KernelDeclaration kernel = Catalogue(kernels_folder).find(name);
    const Compiler compiler(nvrtc(), {kernels_folder, scratch, dependencies});
    return compiler.compile(kernel, kernel.complete({}), Shape{}, architecture);
  }
  Disassembler downloaded() const { return Disassembler::find({{}, dependencies, {}}); }

  fs::path scratch;
  fs::path dependencies;
};

TEST_F(DisassemblerTest, TheToolkitGoesBeforeTheDownloadAndThatBeforeThePath) {
  write_program("path", release("9.9.3"));
  EXPECT_EQ(Disassembler::find(search()).version(), "9.9.3");
  write_program("downloads/nvdisasm", release("9.9.2"));
  EXPECT_EQ(Disassembler::find(search()).version(), "9.9.2");
  write_program("toolkit/bin", release("9.9.1"));
  EXPECT_EQ(Disassembler::find(search()).version(), "9.9.1");
  EXPECT_EQ(Disassembler::find(search()).program(), scratch / "toolkit/bin/nvdisasm");
  write_program("toolkit/bin", "I am something else");
  EXPECT_EQ(Disassembler::find(search()).version(), "9.9.2") << "another program of that name is passed over";
}

TEST_F(DisassemblerTest, SaysHowToGetIt) {
  write_program("path", "I am something else");
  try {
    Disassembler::find(search());
    FAIL() << "there is none";
  } catch (const NvdisasmUnavailable& unavailable) {
    const std::string text = unavailable.what();
    EXPECT_NE(text.find("./tilescope setup"), std::string::npos) << text;
    EXPECT_NE(text.find("CUDA Toolkit"), std::string::npos) << text;
    EXPECT_NE(text.find("does not report a version"), std::string::npos) << text;
  }
}

TEST_F(DisassemblerTest, ReadsEveryInstructionOfAKernel) {
  const std::vector<std::pair<std::string, std::string>> cases = {{"flash_scalar", "sm_89"},
                                                                  {"mma_flash", "sm_80"},
                                                                  {"wmma_full", "sm_90a"},
                                                                  {"spilling_unroll", "sm_86"}};
  for (const auto& [name, architecture] : cases) {
    const CompiledKernel compiled = compile(name, architecture);
    const Disassembly code = downloaded().disassemble(compiled.cubin);
    EXPECT_EQ(code.architecture, architecture);
    const Function* kernel = code.find(name);
    ASSERT_NE(kernel, nullptr) << name;
    EXPECT_TRUE(kernel->is_kernel);
    const std::vector<Instruction>& all = kernel->instructions;
    EXPECT_GT(all.size(), 200u);
    for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].address, 16 * i) << "128 bits each";
    const auto lines = static_cast<std::size_t>(std::count(compiled.ptx.begin(), compiled.ptx.end(), '\n'));
    std::size_t with_place = 0, with_ptx = 0;
    for (const Instruction& instruction : all) {
      if (instruction.chain != no_index) {
        ++with_place;
        EXPECT_TRUE(code.chains[instruction.chain].back().file.ends_with(name + ".cu"));
      }
      if (instruction.ptx_line > 0) ++with_ptx;
      EXPECT_LE(instruction.ptx_line, lines);
    }
    EXPECT_GT(with_place, all.size() * 9 / 10) << name;
    EXPECT_GT(with_ptx, all.size() * 9 / 10) << name;
  }
}

/// An instruction, its targets as addresses, and the lines that it was made from.
struct Printed {
  std::string text;
  std::uint32_t ptx_line = 0;
  std::vector<Place> places;

  bool operator==(const Printed&) const = default;
};

std::vector<Printed> printed_instructions(const std::string& text, const std::string& kernel) {
  const Disassembly code = parse_disassembly(text);
  const Function* function = code.find(kernel);
  EXPECT_TRUE(function != nullptr && function->is_kernel) << kernel;
  std::vector<Printed> all;
  if (function == nullptr) return all;
  for (Instruction instruction : function->instructions) {
    for (std::string& operand : instruction.operands) {
      for (const Label& label : function->labels)
        if (operand == "`(" + label.name + ")") operand = "instruction " + std::to_string(label.before);
    }
    all.push_back({text_of(instruction), instruction.ptx_line, {}});
    if (instruction.chain != no_index) all.back().places = code.chains[instruction.chain];
  }
  return all;
}

TEST_F(DisassemblerTest, AServerSaysTheSame) {
  const Disassembler nvdisasm = downloaded();
  const std::vector<std::pair<std::string, std::string>> cases = {{"flash_scalar", "sm_89"},
                                                                  {"mma_splitkv", "sm_89"},
                                                                  {"spilling_unroll", "sm_89"},
                                                                  {"naive", "sm_80"},
                                                                  {"wmma_full", "sm_90a"}};
  for (const auto& [name, architecture] : cases) {
    nvdisasm.prepare(architecture);
    const std::vector<char> cubin = compile(name, architecture).cubin;
    const std::optional<std::string> served = nvdisasm.print_served(cubin);
    ASSERT_TRUE(served) << name;
    const std::vector<Printed> here = printed_instructions(*served, name);
    const std::vector<Printed> expected = printed_instructions(nvdisasm.print_alone(cubin), name);
    ASSERT_EQ(here.size(), expected.size()) << name;
    for (std::size_t i = 0; i < here.size(); ++i)
      ASSERT_TRUE(here[i] == expected[i]) << name << ": " << here[i].text << " | " << expected[i].text;
    EXPECT_EQ(nvdisasm.print(cubin), *served);
  }
}

TEST_F(DisassemblerTest, AServerIsNotAskedForJumpTables) {
  const std::string source = R"(extern "C" __global__ void jump(int* x) {
      switch (x[threadIdx.x]) {
        case 0: x[1] = 7; break;
        case 1: x[2] += x[9]; break;
        case 2: x[3] = clock(); break;
        case 3: x[4] *= x[8]; break;
        case 4: __syncthreads(); break;
        case 5: x[5] = x[6] / x[7]; break;
      }
    })";
  const CompilerOutput output = nvrtc().compile("jump.cu", source, {}, {"--gpu-architecture=sm_89"});
  const std::string alone = downloaded().print_alone(output.cubin);
  ASSERT_NE(alone.find("BRX"), std::string::npos);
  EXPECT_FALSE(downloaded().print_served(output.cubin));
  EXPECT_EQ(downloaded().print(output.cubin), alone);
}

TEST_F(DisassemblerTest, AServerOutlivesCodeThatIsNotKnown) {
  const std::vector<char> cubin = compile("naive", "sm_89").cubin;
  const std::unique_ptr<DisassemblyServer> server = DisassemblyServer::start(downloaded().program(), "sm_89");
  ASSERT_TRUE(server);
  const std::vector<char> no_code(64, '\xff');
  EXPECT_FALSE(server->print(no_code));
  ASSERT_TRUE(server->answers());
  const Cubin read = read_cubin(cubin);
  const auto code = std::as_bytes(std::span(read.functions.front().words));
  const auto text = server->print({reinterpret_cast<const char*>(code.data()), code.size()});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("EXIT"), std::string::npos);
}

TEST_F(DisassemblerTest, AProgramThatCannotServeIsRunForEachBinary) {
  write_program("path", release("9.9.3"));
  const std::vector<char> cubin = compile("naive", "sm_89").cubin;
  const Disassembler nvdisasm = Disassembler::find(search());
  nvdisasm.prepare("sm_89");
  EXPECT_FALSE(nvdisasm.print_served(cubin));
  EXPECT_EQ(nvdisasm.print(cubin), release("9.9.3") + "\n");
}

TEST_F(DisassemblerTest, AProgramThatDoesNotEndIsGivenUpAndLeavesNoProcess) {
  const std::string list = (scratch / "processes").string();
  fs::create_directories(scratch / "path");
  const fs::path file = scratch / "path/nvdisasm";
  std::ofstream(file) << "#!/bin/sh\n[ \"$1\" = --version ] && echo '" << release("9.9.3") << "' && exit\n"
                      << "sleep 100 & echo $! >> " << list << "\nwhile true; do true; done\n";
  fs::permissions(file, fs::perms::owner_all);
  const std::vector<char> cubin = compile("naive", "sm_89").cubin;
  {
    using namespace std::chrono_literals;
    const Disassembler nvdisasm = Disassembler::find(search(), {.server = 300ms, .run = 500ms});
    try {
      nvdisasm.print(cubin);
      FAIL();
    } catch (const DisassemblyError& error) {
      EXPECT_NE(std::string(error.what()).find("nvdisasm did not end within 0.5 s"), std::string::npos)
          << error.what();
    }
  }
  std::ifstream lines(list);
  int processes = 0;
  for (pid_t process = 0; lines >> process; ++processes) {
    for (int i = 0; i < 2000 && kill(process, 0) == 0; ++i) usleep(10'000);
    EXPECT_NE(kill(process, 0), 0) << "as a server, or alone";
  }
  EXPECT_EQ(processes, 2);
}

TEST_F(DisassemblerTest, LinesOfThePtxAreThoseOfTheListing) {
  const CompiledKernel compiled = compile("flash_scalar", "sm_89");
  const Disassembly code = downloaded().disassemble(compiled.cubin);
  std::vector<std::string> ptx = {""};
  for (const char c : compiled.ptx) {
    if (c == '\n') ptx.emplace_back();
    if (c != '\n') ptx.back() += c;
  }
  std::size_t barriers = 0;
  for (const Instruction& instruction : code.find("flash_scalar")->instructions) {
    if (!instruction.opcode.starts_with("BAR.")) continue;
    ++barriers;
    EXPECT_NE(ptx.at(instruction.ptx_line - 1).find("bar"), std::string::npos)
        << ptx.at(instruction.ptx_line - 1);
  }
  EXPECT_GT(barriers, 0u);
}

TEST_F(DisassemblerTest, CodeWithoutLineInfoHasNoPlaces) {
  const std::string source = "extern \"C\" __global__ void scale(float* x) { x[threadIdx.x] *= 2; }\n";
  const CompilerOutput output = nvrtc().compile("scale.cu", source, {}, {"--gpu-architecture=sm_89"});
  const Disassembly code = downloaded().disassemble(output.cubin);
  ASSERT_NE(code.find("scale"), nullptr);
  for (const Instruction& instruction : code.find("scale")->instructions) {
    EXPECT_EQ(instruction.chain, no_index);
    EXPECT_EQ(instruction.ptx_line, 0u);
  }
}

TEST_F(DisassemblerTest, WhatIsNoBinaryIsAnErrorInItsWords) {
  const std::string text = "this is no binary";
  try {
    downloaded().disassemble({text.begin(), text.end()});
    FAIL();
  } catch (const DisassemblyError& error) {
    EXPECT_NE(std::string(error.what()).find("nvdisasm"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace tilescope::sass
