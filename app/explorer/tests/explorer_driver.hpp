#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {

/// An explorer with the catalogue and the tables of the installation, which writes to a temporary folder.
inline std::unique_ptr<Explorer> start_explorer(const ScratchFolder& scratch,
                                                std::vector<std::string> command) {
  Installation place = find_installation();
  place.data = scratch / "data";
  place.config = scratch / "config";
  place.examples = scratch / "examples";
  Client::Options worker;
  worker.command = std::move(command);
  return std::make_unique<Explorer>(place, worker);
}

/// Updates it until the condition holds, for 30 s at most.
template <class Condition>
bool wait_for(Explorer& explorer, Condition condition) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < limit) {
    explorer.update();
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

/// Updates it until the point of the chosen configuration exists and nothing is being measured.
inline bool settle(Explorer& explorer) {
  return wait_for(explorer, [&] {
    return explorer.jobs().current_point() && !explorer.jobs().measuring() && !explorer.jobs().sweep();
  });
}

}  // namespace tilescope
