#include "app/commands/cut_list.hpp"

#include <algorithm>

#include "app/commands/terminal.hpp"
#include "base/text/format.hpp"

namespace tilescope {

std::string cut_list(const std::vector<std::string>& entries, const std::string& what) {
  std::string text;
  const std::size_t shown = std::min(entries.size(), most_listed);
  for (std::size_t i = 0; i < shown; ++i) text += "  " + prose(entries[i], 2) + "\n";
  if (shown < entries.size()) {
    const auto left = static_cast<std::int64_t>(entries.size() - shown);
    text += "  ... and " + format_count(left) + " more " + what + "\n";
  }
  return text;
}

}  // namespace tilescope
