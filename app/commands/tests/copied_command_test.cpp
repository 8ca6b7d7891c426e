// "Copy as command line" must run as pasted: a real shell splits the text and the command's own parser reads it.
#include <gtest/gtest.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "app/commands/experiment_options.hpp"
#include "profiler/devices/device_model.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/catalogue/catalogue.hpp"
#include "sessions/views/points/point_text.hpp"

namespace tilescope {
namespace {

// The words that a POSIX shell makes of a line.
std::vector<std::string> words_of(const std::string& line) {
  const std::string command = "for word in " + line + R"(; do printf '%s\0' "$word"; done)";
  FILE* shell = ::popen(command.c_str(), "r");
  std::vector<std::string> words(1);
  for (int byte = std::fgetc(shell); byte != EOF; byte = std::fgetc(shell)) {
    if (byte == 0) {
      words.emplace_back();
    } else {
      words.back() += static_cast<char>(byte);
    }
  }
  words.pop_back();
  EXPECT_EQ(::pclose(shell), 0) << line;
  return words;
}

// The experiment that `tilescope measure` reads from the words after the program's name.
Experiment read_back(std::vector<std::string> words) {
  CLI::App app;
  ExperimentOptions options;
  options.declare(*app.add_subcommand("measure", ""));
  std::reverse(words.begin(), words.end());  // CLI11 takes them so.
  words.pop_back();
  app.parse(words);
  return options.unchecked_experiment();
}

void expect_same_when_pasted(const Experiment& experiment) {
  Measurement point;
  point.kernel = experiment.kernel;
  point.parameters = experiment.parameters;
  point.shape = experiment.shape;
  point.device.name = experiment.device;
  point.provenance.seed = experiment.seed;
  point.provenance.compiler = experiment.compiler;
  const std::string line = command_line(point, "/a folder/it's $HOME/tilescope");
  const std::vector<std::string> words = words_of(line);
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words.front(), "/a folder/it's $HOME/tilescope");
  EXPECT_EQ(read_back(words), experiment) << line;
}

Experiment some_experiment() {
  Experiment experiment;
  experiment.kernel = "flash_scalar";
  experiment.parameters = {{"BLOCK_M", 64}, {"SMEM_LAYOUT", "xor_swizzle"}};
  experiment.device = "L4";
  return experiment;
}

TEST(CopiedCommand, EveryShippedKernelWithEveryValueOfEveryParameter) {
  const Catalogue catalogue(std::filesystem::path(TILESCOPE_SOURCE_DIR) / "kernels");
  ASSERT_FALSE(catalogue.kernels().empty());
  for (const KernelDeclaration& kernel : catalogue.kernels()) {
    std::size_t most_values = 1;
    for (const auto& parameter : kernel.parameters) {
      most_values = std::max(most_values, parameter.values.size());
    }
    for (std::size_t i = 0; i < most_values; ++i) {
      Experiment experiment = some_experiment();
      experiment.kernel = kernel.name;
      experiment.parameters.clear();
      for (const auto& parameter : kernel.parameters) {
        experiment.parameters[parameter.name] = parameter.values[i % parameter.values.size()];
      }
      expect_same_when_pasted(experiment);
    }
  }
}

TEST(CopiedCommand, EveryKindOfValue) {
  for (const ParameterValue& value :
       {ParameterValue(0), ParameterValue(-16), ParameterValue(std::int64_t{1} << 40), ParameterValue("a b"),
        ParameterValue("$HOME"), ParameterValue("x=y"), ParameterValue("~"), ParameterValue("*"),
        ParameterValue("#1"), ParameterValue("\"quoted\""), ParameterValue("it's"), ParameterValue("a\\b")}) {
    Experiment experiment = some_experiment();
    experiment.parameters["ANY"] = value;
    expect_same_when_pasted(experiment);
  }
}

TEST(CopiedCommand, EveryCompiler) {
  Experiment experiment = some_experiment();
  for (const KernelCompiler compiler : {KernelCompiler::nvrtc, KernelCompiler::nvcc}) {
    experiment.compiler = compiler;
    expect_same_when_pasted(experiment);
  }
}

TEST(CopiedCommand, EveryKindOfShape) {
  for (const Shape& shape : {Shape{1, 8, 8, 512, 512, 64, DataType::fp16, false},
                             Shape{2, 32, 8, 512, 512, 128, DataType::bf16, true},
                             Shape{4, 8, 8, 1, 8192, 64, DataType::fp16, true},
                             Shape{1, 16, 1, 128, 4096, 256, DataType::bf16, false}}) {
    Experiment experiment = some_experiment();
    experiment.shape = shape;
    expect_same_when_pasted(experiment);
  }
}

TEST(CopiedCommand, PathsDevicesAndSeeds) {
  for (const char* kernel :
       {"my kernels/it's.cu", "/tmp/kern&el;.cu", "~/mine.cu", "ключ.cu", "a\"b`c`.cu"}) {
    Experiment experiment = some_experiment();
    experiment.kernel = kernel;
    expect_same_when_pasted(experiment);
  }
  for (const char* device : {"RTX 4090", "NVIDIA H100 80GB HBM3 (MIG 1g.10gb)", "gpu:1", ""}) {
    Experiment experiment = some_experiment();
    experiment.device = device;
    experiment.seed = 7;
    expect_same_when_pasted(experiment);
  }
}

TEST(CopiedCommand, APathThatBeginsWithADashIsNoOption) {
  Measurement point;
  point.kernel = "-mine.cu";
  EXPECT_EQ(read_back(words_of(command_line(point, "tilescope"))).kernel, "./-mine.cu");
}

TEST(CopiedCommand, TheProgramIsOneThatAShellCanRun) {
  const std::filesystem::path program = shell_program(find_installation());
  EXPECT_TRUE(program.is_absolute());
  EXPECT_EQ(::access(program.c_str(), X_OK), 0) << program;

  Installation moved;
  moved.root = "/nowhere";
  moved.executable = "/opt/bin/tilescope-window";
  EXPECT_EQ(shell_program(moved), "/opt/bin/tilescope");
}

}  // namespace
}  // namespace tilescope
