#include "profiler/measure/files/read_subject.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/measure/files/launch_arrays.hpp"

namespace tilescope {
namespace {

std::string read_subject_file(const std::filesystem::path& path) {
  try {
    return read_regular_file(path, subject_file_limit);
  } catch (const UnreadableFile& error) {
    throw UnreadableSubject(fmt::format("cannot read '{}': {}", path.string(), error.reason()));
  }
}

Json parse_launch(const std::filesystem::path& path, const std::string& text) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    throw UnreadableSubject(fmt::format("cannot read '{}': {}", path.string(), error.what()));
  }
}

// The .npy files that a launch names, from its folder. The bytes of those go with the request that fit together.
std::vector<SentArray> read_arrays(const std::filesystem::path& launch, const Json& document) {
  std::vector<SentArray> arrays;
  std::uint64_t left = sent_arrays_limit;
  for (const std::string& name : named_arrays(document)) {
    const std::filesystem::path path = launch.parent_path() / name;
    try {
      std::string contents = read_regular_file(path, subject_file_limit);
      const std::uint64_t bytes = contents.size();
      arrays.push_back({name, sent_file(path, std::move(contents), left)});
      if (arrays.back().file.contents) left -= bytes;
    } catch (const UnreadableFile& error) {
      throw UnreadableSubject(fmt::format("cannot read '{}', which '{}' names as \"npy\": {}", path.string(),
                                          launch.string(), error.reason()));
    }
  }
  return arrays;
}

}  // namespace

FileSubject read_subject(const std::filesystem::path& file, const std::filesystem::path& launch) {
  FileSubject subject;
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored))
    subject.code = {std::filesystem::absolute(file).string(), std::nullopt};
  else
    subject.code = sent_file(file, read_subject_file(file));
  if (launch.empty()) return subject;
  std::string text = read_subject_file(launch);
  subject.arrays = read_arrays(launch, parse_launch(launch, text));
  subject.launch = sent_file(launch, std::move(text));
  return subject;
}

}  // namespace tilescope
