#pragma once

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiler/execution/sass/cubin.hpp"
#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"

namespace tilescope::sass {

/// Compiles small kernels with NVRTC, each once: NVRTC 13 and 12 write different forms of the file.
class CubinTest : public ::testing::Test {
 protected:
  CubinTest() { setenv("TILESCOPE_ROOT", TILESCOPE_SOURCE_DIR, 1); }

  static std::vector<char> compile(const std::string& source, const std::string& architecture,
                                   int cuda_major = 13) {
    static std::map<std::pair<std::string, int>, std::vector<char>> known;
    std::vector<char>& cubin = known[{architecture + source, cuda_major}];
    if (cubin.empty())
      cubin = Nvrtc::open({{}, find_installation().dependencies, std::pair(cuda_major, 9)})
                  .compile("test.cu", source, {}, {"--gpu-architecture=" + architecture, "--std=c++17"})
                  .cubin;
    return cubin;
  }
  static Cubin read(const std::string& source, const std::string& architecture, int cuda_major = 13) {
    return read_cubin(compile(source, architecture, cuda_major));
  }
};

/// Changes a cubin's headers, as damage or another tool would.
struct CubinEditor {
  explicit CubinEditor(std::vector<char> cubin) : bytes(std::move(cubin)) {}

  void header(const std::function<void(Elf64_Ehdr&)>& change) { edit(0, change); }
  /// The first section of which the name begins so.
  void section(const std::string& prefix, const std::function<void(Elf64_Shdr&)>& change) {
    edit(header_of(prefix), change);
  }
  Elf64_Shdr section(const std::string& prefix) const { return get<Elf64_Shdr>(header_of(prefix)); }

  template <class Record>
  Record get(std::size_t offset) const {
    Record record;
    std::memcpy(&record, &bytes.at(offset + sizeof(record) - 1) - (sizeof(record) - 1), sizeof(record));
    return record;
  }
  template <class Record>
  void edit(std::size_t offset, const std::function<void(Record&)>& change) {
    auto record = get<Record>(offset);
    change(record);
    std::memcpy(&bytes[offset], &record, sizeof(record));
  }

  std::vector<char> bytes;

 private:
  std::size_t header_of(const std::string& prefix) const {
    const auto file = get<Elf64_Ehdr>(0);
    const auto place = [&](std::size_t i) { return file.e_shoff + i * sizeof(Elf64_Shdr); };
    const auto names = get<Elf64_Shdr>(place(file.e_shstrndx));
    for (std::size_t i = 0; i < file.e_shnum; ++i) {
      const std::string name = &bytes.at(names.sh_offset + get<Elf64_Shdr>(place(i)).sh_name);
      if (name.starts_with(prefix)) return place(i);
    }
    ADD_FAILURE() << "no section " << prefix;
    return place(0);
  }
};

}  // namespace tilescope::sass
