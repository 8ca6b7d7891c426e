#include "app/commands/interrupt.hpp"

#include <unistd.h>

#include <csignal>
#include <cstddef>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"

namespace tilescope {
namespace {

using Handler = void (*)(int);

volatile std::sig_atomic_t asked = 0;
// Action of a signal that is not, or no longer, a request for an orderly end.
Handler at_once = SIG_DFL;

void note(int signal) {
  asked = 1;
  std::signal(signal, at_once);
}

// Only calls that a signal handler may make.
void end_with_document(int) {
  static const char document[] = "{\n  \"reason\": \"stopped by Ctrl+C\",\n  \"status\": \"cancelled\"\n}\n";
  if (!has_begun_document()) {
    const ssize_t ignored = ::write(STDOUT_FILENO, document, sizeof document - 1);
    static_cast<void>(ignored);
  }
  ::_exit(static_cast<int>(ExitCode::stopped));
}

}  // namespace

void listen_for_interrupts() {
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

void print_document_on_interrupt() {
  at_once = end_with_document;
  for (const int signal : {SIGINT, SIGTERM}) {
    // A shell's job in the background ignores Ctrl+C, and goes on doing so.
    if (std::signal(signal, at_once) == SIG_IGN) std::signal(signal, SIG_IGN);
  }
}

bool interrupted() {
  return asked != 0;
}

}  // namespace tilescope
