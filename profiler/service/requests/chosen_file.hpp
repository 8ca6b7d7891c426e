#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.hpp"
#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// A kernel of any file and its launch, which are compiled and decoded as OpenFile does.
struct ChosenFile {
  /// With its entry and its launch.
  FileSubject subject;
  /// Values of constants of the source, by name.
  std::map<std::string, std::string> chosen{};
  /// Options of the compiler.
  std::vector<std::string> options{};
  /// "" for the default device.
  std::string device{};

  bool operator==(const ChosenFile&) const = default;
};

/// Reading throws DocumentError with the place.
void to_json(Json& json, const ChosenFile& file);
void from_json(const Json& json, ChosenFile& file);

}  // namespace tilescope
