// Loads every session of a folder and writes it into another, for schema_test.py. Prints a line for each that cannot be
// loaded: its name and why.
#include <filesystem>
#include <iostream>

#include "sessions/session.hpp"

int main(int argument_count, char** arguments) {
  if (argument_count != 3) return 2;
  const std::filesystem::path to = arguments[2];
  for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
    try {
      const tilescope::Session session = tilescope::load_session(entry.path());
      tilescope::SessionWriter(to / entry.path().filename()).write(session);
    } catch (const tilescope::SessionError& error) {
      std::cout << entry.path().filename().string() << ": " << error.what() << "\n";
    }
  }
}
