#include "profiler/kernels/cuda_source/source_tree.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/kernels/cuda_source/header_definitions.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

// A file of a project is a few folders below its headers.
std::vector<fs::path> folders_around(const fs::path& file) {
  constexpr int folders_above = 6;
  constexpr std::array<const char*, 8> usual = {"",     "include", "inc",    "src",
                                                "csrc", "common",  "Common", "utils"};
  std::vector<fs::path> folders;
  std::error_code ignored;
  fs::path folder = file.parent_path();
  for (int i = 0; i < folders_above && folder.has_relative_path(); ++i, folder = folder.parent_path()) {
    for (const char* below : usual) {
      const fs::path candidate = *below == '\0' ? folder : folder / below;
      if (fs::is_directory(candidate, ignored)) folders.push_back(candidate);
    }
  }
  return folders;
}

// A project may have a header of this name for systems that lack it: <unistd.h>.
bool is_of_system(const std::string& name) {
  std::error_code ignored;
  return fs::is_regular_file(fs::path("/usr/include") / name, ignored);
}

class HeaderReader {
 public:
  explicit HeaderReader(SourceTree& tree) : tree_(tree) {}

  void read_all(const fs::path& file) {
    read_includes(*tree_.source, file.parent_path());
    // The list grows while it is read.
    for (std::size_t i = 0; i < tree_.headers.size(); ++i) {
      const SourceHeader header = tree_.headers[i];
      if (header.source) read_includes(*header.source, header.path.parent_path());
    }
  }

 private:
  void read_includes(const CudaSource& source, const fs::path& folder) {
    for (const SourceInclude& include : source.includes()) {
      if (include.is_system && is_of_system(include.name)) continue;
      if (!names_.insert(include.name).second) continue;
      const std::optional<fs::path> path = found(include.name, folder);
      if (path) read(include.name, *path);
    }
  }

  std::optional<fs::path> found(const std::string& name, const fs::path& folder) const {
    std::error_code error;
    std::vector<fs::path> folders = {folder};
    folders.insert(folders.end(), tree_.folders.begin(), tree_.folders.end());
    for (const fs::path& candidate : folders) {
      fs::path path = fs::canonical(candidate / name, error);
      if (!error && fs::is_regular_file(path, error)) return path;
    }
    return std::nullopt;
  }

  void read(const std::string& name, const fs::path& path) {
    if (const auto known = by_path_.find(path); known != by_path_.end()) {
      tree_.headers.push_back({name, path, "#include \"" + known->second + "\"\n", nullptr});
      return;
    }
    if (by_path_.size() >= SourceTree::max_headers) return;
    try {
      std::string text = read_regular_file(path, SourceTree::max_bytes - bytes_);
      bytes_ += text.size();
      by_path_[path] = name;
      auto source = std::make_shared<const CudaSource>(text);
      tree_.headers.push_back({name, path, std::move(text), std::move(source)});
    } catch (const UnreadableFile&) {
      return;  // the compiler says so where it needs the header
    }
  }

  SourceTree& tree_;
  std::set<std::string> names_;
  std::map<fs::path, std::string> by_path_;
  std::size_t bytes_ = 0;
};

std::vector<HeaderDefinitions> definitions_of(const std::vector<SourceHeader>& headers) {
  std::vector<HeaderDefinitions> all;
  all.reserve(headers.size());
  for (const SourceHeader& header : headers)
    if (header.source) all.push_back({header.path.filename().string(), header.source->definitions()});
  return all;
}

// Launches use helpers of headers: ceil_div(), sizes, structures.
void lend_definitions(SourceTree& tree) {
  const std::vector<HeaderDefinitions> definitions = definitions_of(tree.headers);
  const auto lend = [&](const std::string& text, std::shared_ptr<const CudaSource>& source) {
    if (source->launches().empty()) return;
    const std::vector<SourceDefinition> used = used_definitions(text, source->definitions(), definitions);
    if (!used.empty()) source = std::make_shared<const CudaSource>(text, used);
  };
  lend(tree.text, tree.source);
  for (SourceHeader& header : tree.headers)
    if (header.source) lend(header.text, header.source);
}

void add_device_macros(const std::string& text, std::vector<std::string>& macros) {
  for (std::size_t at = text.find("__device__"); at != std::string::npos;
       at = text.find("__device__", at + 1)) {
    const std::size_t begin = text.rfind('\n', at) + 1;
    std::istringstream line(text.substr(begin, at - begin));
    std::string hash, name;
    line >> hash;
    if (hash == "#" && line >> name) hash += name;
    if (hash != "#define" || !(line >> name)) continue;
    if (name.find('(') == std::string::npos) macros.push_back(name);
  }
}

}  // namespace

std::vector<std::shared_ptr<const CudaSource>> SourceTree::sources() const {
  std::vector<std::shared_ptr<const CudaSource>> all = {source};
  for (const SourceHeader& header : headers)
    if (header.source) all.push_back(header.source);
  return all;
}

std::vector<std::string> SourceTree::device_macros() const {
  // PyTorch's are declared by a stand-in.
  std::vector<std::string> macros = {"C10_DEVICE", "C10_HOST_DEVICE", "GPU_LAMBDA"};
  add_device_macros(text, macros);
  for (const SourceHeader& header : headers) add_device_macros(header.text, macros);
  return macros;
}

SourceTree read_source_tree(std::string text, const fs::path& path,
                            const std::vector<fs::path>& more_folders) {
  SourceTree tree;
  tree.text = std::move(text);
  tree.source = std::make_shared<const CudaSource>(tree.text);
  tree.folders = folders_around(path);
  tree.folders.insert(tree.folders.end(), more_folders.begin(), more_folders.end());
  HeaderReader(tree).read_all(path);
  lend_definitions(tree);
  return tree;
}

}  // namespace tilescope
