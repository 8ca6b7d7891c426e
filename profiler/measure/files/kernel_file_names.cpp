#include "profiler/measure/files/kernel_file_names.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <system_error>

namespace tilescope {

namespace fs = std::filesystem;

const std::vector<std::string>& kernel_file_extensions() {
  static const std::vector<std::string> extensions{".cu", ".cuh", ".ptx", ".cubin", ".fatbin",
                                                   ".so", ".a",   ".o",   ".whl",   ".py"};
  return extensions;
}

bool holds_kernels(const fs::path& file) {
  const std::vector<std::string>& extensions = kernel_file_extensions();
  if (std::ranges::find(extensions, file.extension().string()) != extensions.end()) return true;
  std::error_code failed;
  if (fs::is_directory(file, failed)) return true;
  if (file.extension() == ".json" || !fs::is_regular_file(file, failed)) return false;
  constexpr std::string_view elf =
      "\x7f"
      "ELF";
  std::array<char, elf.size()> start{};
  std::ifstream(file, std::ios::binary).read(start.data(), start.size());
  return std::string_view(start.data(), start.size()) == elf;
}

}  // namespace tilescope
