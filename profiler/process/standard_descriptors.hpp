#pragma once

namespace tilescope {

/// Opens /dev/null in the place of each standard descriptor that is closed, as daemons and cron leave them: else the
/// next file that is opened gets its number, and libuv ends the process. To be called at the very start of main. A
/// closed stdin then reads as empty, and what goes to a closed stderr is lost; a write to a closed stdout still fails,
/// because its result would be lost.
void open_standard_descriptors();

}  // namespace tilescope
