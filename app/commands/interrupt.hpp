#pragma once

namespace tilescope {

/// Makes Ctrl-C and SIGTERM request an orderly end; a second one ends the program at once.
void listen_for_interrupts();

/// For --json: a signal that ends the program at once prints a stopped command's document first, and ends with a
/// stopped command's exit code.
void print_document_on_interrupt();

/// Whether the user has requested the end.
bool interrupted();

}  // namespace tilescope
