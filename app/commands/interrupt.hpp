#pragma once

namespace tilescope {

/// From now on Ctrl-C and a request to terminate ask for an orderly end; a second one ends the program at
/// once.
void listen_for_interrupts();

/// Whether the person has asked for the end.
bool interrupted();

}  // namespace tilescope
