#include "app/commands/interrupt.hpp"

#include <csignal>

namespace tilescope {
namespace {

volatile std::sig_atomic_t asked = 0;

void note(int signal) {
  asked = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void listen_for_interrupts() {
  std::signal(SIGINT, note);
  std::signal(SIGTERM, note);
}

bool interrupted() {
  return asked != 0;
}

}  // namespace tilescope
