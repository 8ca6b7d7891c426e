#include "app/commands/command.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {
namespace {

using Maker = std::function<std::unique_ptr<Command>()>;

/// Inside a function, so that it exists before the first registration, in any order of the files.
std::vector<Maker>& makers() {
  static std::vector<Maker> list;
  return list;
}

}  // namespace

RegisterCommand::RegisterCommand(Maker make) {
  makers().push_back(std::move(make));
}

std::vector<std::unique_ptr<Command>> make_registered_commands() {
  std::vector<std::unique_ptr<Command>> commands;
  for (const Maker& make : makers()) commands.push_back(make());
  std::sort(commands.begin(), commands.end(),
            [](const auto& a, const auto& b) { return a->name() < b->name(); });
  const auto twice = std::adjacent_find(commands.begin(), commands.end(),
                                        [](const auto& a, const auto& b) { return a->name() == b->name(); });
  if (twice != commands.end()) {
    throw std::logic_error("two commands are named '" + (*twice)->name() + "': \"" + (*twice)->summary() +
                           "\" and \"" + (*(twice + 1))->summary() + "\"");
  }
  return commands;
}

}  // namespace tilescope
