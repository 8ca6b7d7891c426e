#pragma once

namespace tilescope {

class TaskOfFile;

/// The PyTorch task of the opened file: asks whether its Python may run, and says what came of it. Nothing for a file that
/// is a part of none.
void draw_task(TaskOfFile& task);

}  // namespace tilescope
