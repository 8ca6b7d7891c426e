#include "app/explorer/points/recorded_examples.hpp"

#include <algorithm>
#include <string>
#include <system_error>

namespace tilescope {

namespace fs = std::filesystem;

std::vector<fs::path> list_json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  fs::directory_iterator entry(folder, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

const fs::path& example_for(const std::vector<fs::path>& files, const KernelDeclaration& kernel) {
  const std::string of_kind = kernel.role == KernelRole::exhibit ? "exhibits" : "ladder";
  for (const std::string& start : {kernel.name, of_kind}) {
    const auto found = std::find_if(files.begin(), files.end(), [&](const fs::path& file) {
      return file.filename().string().starts_with(start + "_");
    });
    if (found != files.end()) return *found;
  }
  return files.front();
}

}  // namespace tilescope
