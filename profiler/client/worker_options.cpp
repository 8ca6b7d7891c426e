#include "profiler/client/worker_options.hpp"

#include <cstdlib>
#include <iterator>
#include <sstream>
#include <utility>

#include "profiler/client/carried_source.hpp"

namespace tilescope {

std::vector<std::string> split_command(const std::string& command) {
  std::istringstream words(command);
  return {std::istream_iterator<std::string>(words), {}};
}

Client::Options worker_options(const Installation& installation, std::vector<std::string> command) {
  Client::Options options;
  options.command = std::move(command);
  options.shared_folder = installation.kernels;
  options.find_source = [installation](const std::string& kernel) {
    return find_kernel_source(installation, kernel);
  };
  return options;
}

Client::Options worker_options(const Installation& installation) {
  const char* named = std::getenv("TILESCOPE_WORKER");
  std::vector<std::string> command = split_command(named == nullptr ? "" : named);
  if (command.empty()) command = {installation.executable.string(), "worker"};
  return worker_options(installation, std::move(command));
}

}  // namespace tilescope
