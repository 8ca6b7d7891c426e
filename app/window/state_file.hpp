#pragma once

#include <filesystem>
#include <string>

#include "app/explorer/explorer.hpp"
#include "base/json_fwd.hpp"

namespace tilescope {

/// Writes what the window shows, and where, for a test that looks at it from outside: {frame, mouse, workspace,
/// points, recorded, experiment, status, measuring, partial, sweeping, can_undo, can_redo, file, dirty, messages,
/// worker_pid, latency_meter, widgets {name: [x0, y0, x1, y1]}}. `partial` is shown_stage() of a point that is being
/// made, else null. Replaced as a whole, so that a reader never sees half of it.
void write_state_file(const std::filesystem::path& file, const Explorer& explorer,
                      const std::string& workspace, const Json& frame_cost);

/// How far the point under the sliders has come: "asked", the name of a stage, or "final"; "" where none is made.
std::string shown_stage(const Explorer& explorer);

/// If there is a file `file`.picture, writes the last frame to the PNG that its first line names, and removes it. Where
/// a second line names a stage, only a frame is written that showed it.
void write_requested_picture(const std::filesystem::path& file, const std::string& stage, int width,
                             int height);

}  // namespace tilescope
