#pragma once

#include <filesystem>
#include <string>

#include "app/explorer/explorer.hpp"

namespace tilescope {

/// Writes what the window shows, and where, for a test that looks at it from outside: {frame, mouse, workspace,
/// points, recorded, experiment, status, measuring, sweeping, can_undo, can_redo, file, dirty, messages, worker_pid,
/// widgets {name: [x0, y0, x1, y1]}}. Replaced as a whole, so that a reader never sees half of it.
void write_state_file(const std::filesystem::path& file, const Explorer& explorer,
                      const std::string& workspace, const Json& frame_cost);

/// If there is a file `file`.picture, writes the last frame to the PNG that it names, and removes it.
void write_requested_picture(const std::filesystem::path& file, int width, int height);

}  // namespace tilescope
