#pragma once

#include <filesystem>

#include "base/json.hpp"
#include "base/json_values.hpp"

namespace tilescope {

/// A path as a member: a text.
inline constexpr Form<std::filesystem::path> path_form{
    [](const std::filesystem::path& path) { return Json(path.string()); },
    [](const Json& json) { return std::filesystem::path(json.get<std::string>()); }};

}  // namespace tilescope
