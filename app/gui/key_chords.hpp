#pragma once

namespace tilescope {

/// ImGui::NewFrame, for key chords that are typed within one frame. ImGui takes the press of a key and the release of
/// its modifier in the same frame when the modifier was pressed in an earlier one: Ctrl+S is then read as S. Here a
/// change of a modifier after the press of a key waits for the next frame, and so does what comes after it. Events may
/// remain in ImGui's queue: the caller draws another frame while there are some.
void begin_frame_with_whole_chords();

}  // namespace tilescope
