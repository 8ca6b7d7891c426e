#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "profiler/kernels/catalogue/kernel_declaration.hpp"

namespace tilescope {

inline const char* const minimal_declaration = R"json({
  "name": "one", "role": "rung", "title": "t", "entry": "e", "dtypes": ["fp16"],
  "parameters": [{"name": "TILE", "values": [8, 16], "default": 8, "help": "h"},
                 {"name": "LAYOUT", "values": ["plain", "padded"], "default": "plain", "help": "h"}],
  "constraints": [{"expression": "TILE % 8 == 0", "text": "eights"}],
  "grid": ["ceil_div(Sq, TILE)", "Hq", "B"], "threads": "32", "dynamic_shared_bytes": "TILE * 4",
  "tiles": [{"name": "S", "bytes": "TILE * 2"}, {"name": "P", "bytes": "TILE", "offset": "TILE * 3"}],
  "arguments": [{"type": "attention_problem"}, {"type": "pointer", "value": "scratch", "bytes": "4 * Sq"}]
})json";

/// Declarations in a folder of their own.
class DeclarationTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("tilescope_declarations_" + std::to_string(::getpid()));
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
    return folder_ / name;
  }
  static std::string error_of(const std::filesystem::path& file) {
    try {
      read_kernel_declaration(file);
    } catch (const DeclarationError& error) {
      return error.what();
    }
    return "";
  }
  /// A .cu file with the minimal declaration, in which one text replaces another.
  static std::string with(const std::string& from, const std::string& to) {
    std::string text = minimal_declaration;
    text.replace(text.find(from), from.size(), to);
    return "/* tilescope-kernel\n" + text + "*/\n";
  }

  std::filesystem::path folder_;
};

}  // namespace tilescope
