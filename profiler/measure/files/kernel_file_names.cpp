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

bool has_machine_code(const fs::path& folder) {
  constexpr int most_levels = 3;
  constexpr std::size_t most_files = 2000;
  std::error_code failed;
  std::size_t seen = 0;
  fs::recursive_directory_iterator entry(folder, fs::directory_options::skip_permission_denied, failed);
  for (; !failed && entry != fs::recursive_directory_iterator() && seen < most_files;
       entry.increment(failed)) {
    ++seen;
    if (entry.depth() >= most_levels) entry.disable_recursion_pending();
    const fs::path extension = entry->path().extension();
    if (extension == ".cubin" || extension == ".ptx") return true;
  }
  return false;
}

}  // namespace tilescope
