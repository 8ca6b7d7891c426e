#include "profiler/service/client/worker_options.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <sstream>
#include <utility>

#include "profiler/service/client/carried_source.hpp"

namespace tilescope {

std::vector<std::string> split_command(const std::string& command) {
  std::istringstream words(command);
  return {std::istream_iterator<std::string>(words), {}};
}

namespace {

/// Over ssh a user may have to type a password.
constexpr std::chrono::seconds start_limit_over_ssh{120};

bool uses_ssh(const std::vector<std::string>& command) {
  return std::ranges::any_of(
      command, [](const std::string& word) { return std::filesystem::path(word).filename() == "ssh"; });
}

}  // namespace

Client::Options worker_options(const Installation& installation, std::vector<std::string> command) {
  Client::Options options;
  if (uses_ssh(command)) options.start_limit = start_limit_over_ssh;
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
  const bool is_own_worker = command.empty();
  if (is_own_worker) command = {installation.executable.string(), "worker"};
  Client::Options options = worker_options(installation, std::move(command));
  options.is_own_worker = is_own_worker;
  options.notice = [](const std::string& sentence) {
    std::fputs(("tilescope: " + sentence + "\n").c_str(), stderr);
  };
  return options;
}

}  // namespace tilescope
