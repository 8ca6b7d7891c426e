#pragma once

namespace tilescope {

/// Makes Ctrl-C and SIGTERM request an orderly end; a second one ends the program at once.
void listen_for_interrupts();

/// Whether the user has requested the end.
bool interrupted();

}  // namespace tilescope
