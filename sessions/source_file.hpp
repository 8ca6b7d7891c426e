#pragma once

#include <map>
#include <string>

#include "base/json_fwd.hpp"

namespace tilescope {

/// A kernel's source as it was measured, or is to be.
struct SourceFile {
  /// "flash_scalar.cu"
  std::string name;
  std::string text;
  /// The headers of ours that went in, by include path, and the .json file beside the kernel that declares it: without
  /// them the source does not compile elsewhere.
  std::map<std::string, std::string> headers;
  /// By include path, the SHA-256 of what went in too but is not carried, since it may be private: files outside the
  /// folders of the kernel and of Tilescope's kernels, and files that are not headers by their names.
  std::map<std::string, std::string> hashed_headers{};

  bool operator==(const SourceFile&) const = default;
};

void to_json(Json& json, const SourceFile& source);
/// Throws DocumentError with the place.
void from_json(const Json& json, SourceFile& source);

}  // namespace tilescope
