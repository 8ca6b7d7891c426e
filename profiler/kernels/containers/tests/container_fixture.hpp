#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "profiler/kernels/containers/find_code.hpp"
#include "profiler/process/temporary_folder.hpp"

namespace tilescope::test_support {

/// A cubin of a kernel `name` of NVRTC, which is there on every machine that runs the tests.
std::string cubin_of(const std::string& name, const std::string& architecture);
std::string ptx_of(const std::string& name, const std::string& architecture);

/// One piece of code of a fat binary.
struct FatImage {
  FoundCode::Form form = FoundCode::Form::cubin;
  std::string contents;
  unsigned architecture = 0;
  /// File that the compiler stored; "" for none.
  std::string source = "";
};
/// A fat binary that is not compressed, as CUDA 13 writes them.
std::string fat_binary_of(const std::vector<FatImage>& images);

/// The members by their names.
using Members = std::vector<std::pair<std::string, std::string>>;
enum class ArchiveForm { zip, static_library };
void write_archive(const std::filesystem::path& file, ArchiveForm form, const Members& members);

void write_file(const std::filesystem::path& file, const std::string& contents);
std::string contents_of_file(const std::filesystem::path& file);
/// An object file of the host, or a shared library, with these bytes in a section; "" without g++.
std::string host_file_with(const std::string& bytes, const std::string& section, bool is_linked);

/// A folder for files, and the cuobjdump of the downloads.
class ContainerTest : public testing::Test {
 protected:
  ContainerTest();
  /// Skips with the reason where cuobjdump is missing.
  void needs_cuobjdump() const;
  std::filesystem::path file(const std::string& name, const std::string& contents) const;
  FoundIn found(const std::string& name, const std::string& contents) const {
    return find_code(file(name, contents), tools);
  }
  FoundIn found_in(const std::filesystem::path& path) const { return find_code(path, tools); }
  /// The sentence of the exception.
  std::string refused(const std::filesystem::path& path) const;

  TemporaryFolder folder;
  ContainerTools tools;
};

/// "cubin sm_89: scale" for each.
std::vector<std::string> summary(const std::vector<FoundCode>& codes);

}  // namespace tilescope::test_support
