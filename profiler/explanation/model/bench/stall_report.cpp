#include "profiler/explanation/model/bench/stall_report.hpp"

#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>

namespace tilescope::model {
namespace {

using Stalls = std::vector<StallReason>;

StallReason largest(const Stalls& stalls) {
  StallReason most;
  for (const StallReason& reason : stalls) {
    if (reason.name != "not_selected" && reason.warps > most.warps) most = reason;
  }
  return most;
}

std::vector<std::string> cells_of(const std::string& row) {
  std::istringstream text(row);
  std::vector<std::string> cells;
  for (std::string cell; std::getline(text, cell, ',');) cells.push_back(cell);
  return cells;
}

std::map<std::string, Stalls> read_stalls(const std::filesystem::path& table) {
  std::ifstream file(table);
  std::string row;
  if (!std::getline(file, row)) throw std::runtime_error(table.string() + " cannot be read");
  const std::vector<std::string> names = cells_of(row);
  std::map<std::string, Stalls> by_case;
  while (std::getline(file, row)) {
    const std::vector<std::string> cells = cells_of(row);
    if (cells.size() != names.size())
      throw std::runtime_error(table.string() + " has a row of another length: " + row);
    Stalls& stalls = by_case[cells[0]];
    for (std::size_t i = 2; i < cells.size(); ++i) stalls.push_back({names[i], std::stod(cells[i])});
  }
  return by_case;
}

}  // namespace

void print_stalls(const std::vector<JudgedCase>& cases, const std::filesystem::path& table) {
  const std::map<std::string, Stalls> measured = read_stalls(table);
  int agree = 0, all = 0;
  std::printf("%-28s %-30s %-30s\n", "largest stall reason", "measured [warps per issue]", "predicted");
  for (const JudgedCase& one : cases) {
    const auto found = measured.find(one.name);
    if (found == measured.end()) continue;
    const StallReason there = largest(found->second), here = largest(one.stalls);
    const bool agrees = there.name == here.name;
    agree += agrees ? 1 : 0;
    ++all;
    std::printf("%-28s %-22s %7.2f %-22s %7.2f%s\n", one.name.c_str(), there.name.c_str(), there.warps,
                here.name.c_str(), here.warps, agrees ? "" : "  *");
  }
  std::printf("the largest stall reason agrees in %d of %d\n", agree, all);
}

}  // namespace tilescope::model
