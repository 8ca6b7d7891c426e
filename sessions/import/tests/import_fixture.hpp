#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "sessions/import/import.hpp"

namespace tilescope::test_support {

/// A folder of its own with the file that is imported.
class ImportFixture : public ::testing::Test {
 protected:
  ImportFixture() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tilescope-import-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    options_.sizes = Shape{};
  }
  ~ImportFixture() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  ImportedFile import(const std::string& text) const { return import_file(write("file", text), options_); }
  /// The error of importing a file; "" if there is none.
  std::string complaint(const std::string& text) const {
    try {
      import(text);
    } catch (const ImportError& error) {
      return error.what();
    }
    return "";
  }
  static bool has_note(const Measurement& point, const std::string& part) {
    return std::any_of(point.notes.begin(), point.notes.end(),
                       [&](const std::string& note) { return note.find(part) != std::string::npos; });
  }

  std::filesystem::path folder_;
  ImportOptions options_;
};

#define EXPECT_CONTAINS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)

}  // namespace tilescope::test_support
