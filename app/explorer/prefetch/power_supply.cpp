#include "app/explorer/prefetch/power_supply.hpp"

#include <fstream>
#include <string>
#include <system_error>

namespace tilescope {
namespace {

namespace fs = std::filesystem;

/// The first line, "" where the file is not there.
std::string read_line(const fs::path& file) {
  std::ifstream input(file);
  std::string line;
  std::getline(input, line);
  return line;
}

}  // namespace

bool is_on_battery(const fs::path& folder) {
  bool discharges = false;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path supply = entry->path();
    const bool is_battery = read_line(supply / "type") == "Battery";
    if (!is_battery && read_line(supply / "online") == "1") return false;
    const bool is_of_the_machine = read_line(supply / "scope") != "Device";
    if (is_battery && is_of_the_machine && read_line(supply / "status") == "Discharging") discharges = true;
  }
  return discharges;
}

}  // namespace tilescope
