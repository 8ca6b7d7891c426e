#pragma once

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "sessions/experiment.hpp"

namespace tilescope {

/// Where the worker of a test writes what it was asked for, a line for each request: the environment variable that names
/// the file. Nothing is written without it.
inline const char* const request_log_variable = "INSTANT_WORKER_LOG";

/// On the worker's side: the method, and the configurations.
inline void log_request(const std::string& method, const std::vector<Experiment>& experiments) {
  const char* file = std::getenv(request_log_variable);
  if (file == nullptr) return;
  std::string line = method + ":";
  for (const Experiment& experiment : experiments)
    line += " [" + experiment.kernel + " " + to_string(experiment.parameters) + "]";
  std::ofstream(file, std::ios::app) << line + "\n";
}

/// On the test's side: all lines so far.
inline std::vector<std::string> logged_requests(const std::string& file) {
  std::ifstream input(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(input, line);) lines.push_back(line);
  return lines;
}

}  // namespace tilescope
