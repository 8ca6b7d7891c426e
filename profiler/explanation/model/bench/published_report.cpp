#include "profiler/explanation/model/bench/published_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "profiler/explanation/model/predict.hpp"
#include "sessions/import/csv_rows.hpp"

namespace tilescope::model {
namespace {

using Row = std::map<std::string, std::string>;

std::vector<Row> rows_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  if (!in) throw std::runtime_error(fmt::format("{} cannot be read", file.string()));
  const std::vector<CsvRow> lines = read_csv(text.str(), 1);
  std::vector<Row> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    Row row;
    for (std::size_t column = 0; column < std::min(lines[0].fields.size(), lines[i].fields.size()); ++column)
      row[lines[0].fields[column]] = lines[i].fields[column];
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string shape_of(const Row& row) {
  return fmt::format("B{} H{}/{} S{} D{} {}{}", row.at("B"), row.at("H"), row.at("Hkv"), row.at("S"),
                     row.at("D"), row.at("dtype"), row.at("causal") == "1" ? " causal" : "");
}

// `part` of the values, from 0 to 1, are at most the result.
double percentile(std::vector<double> values, double part) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const double next = values[std::min(below + 1, values.size() - 1)];
  return values[below] + (place - static_cast<double>(below)) * (next - values[below]);
}

// Factors by which predicted ratios of two shapes on one device are off.
std::vector<double> ratio_factors(const std::vector<PublishedCase>& cases) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (cases[i].device != cases[j].device) continue;
      factors.push_back(std::exp(std::abs(std::log(cases[i].predicted / cases[i].published) -
                                          std::log(cases[j].predicted / cases[j].published))));
    }
  }
  return factors;
}

void print_row(const std::string& name, const std::vector<PublishedCase>& cases) {
  std::vector<double> errors, ratios;
  double sum = 0;
  std::ptrdiff_t inside = 0;
  for (const PublishedCase& one : cases) {
    errors.push_back(one.error());
    ratios.push_back(one.predicted / one.published);
    sum += one.error();
    inside += one.is_inside() ? 1 : 0;
  }
  const double count = static_cast<double>(cases.size());
  std::printf("  %-12s %4zu  %6.1f %6.1f   %6.2f   %5.0f    %6.2f\n", name.c_str(), cases.size(),
              100 * sum / count, 100 * percentile(errors, 0.9), percentile(ratios, 0.5),
              100 * static_cast<double>(inside) / count, percentile(ratio_factors(cases), 0.9));
}

}  // namespace

double PublishedCase::error() const {
  return std::abs(predicted / published - 1);
}

bool PublishedCase::is_inside() const {
  return published >= predicted / (1 + attention_error_without_fit) &&
         published <= predicted / (1 - attention_error_without_fit);
}

std::vector<PublishedCase> read_published(const std::filesystem::path& folder) {
  std::map<std::pair<std::string, std::string>, std::vector<double>> published;
  for (const Row& row : rows_of(folder / "attention.csv"))
    published[{row.at("device"), shape_of(row)}].push_back(std::stod(row.at("latency_us")));
  std::vector<PublishedCase> cases;
  for (const Row& row : rows_of(folder / "predictions.csv")) {
    PublishedCase one{row.at("device"), shape_of(row)};
    const auto found = published.find({one.device, one.shape});
    if (found == published.end()) continue;
    const auto [least, most] = std::ranges::minmax(found->second);
    one.published = percentile(found->second, 0.5);
    one.spread = most / least;
    one.count = found->second.size();
    one.predicted = std::stod(row.at("p50_us"));
    cases.push_back(std::move(one));
  }
  return cases;
}

void print_published(const std::vector<PublishedCase>& published, bool with_cases) {
  if (with_cases) {
    for (const PublishedCase& one : published)
      std::printf("%-10s %-36s %10.1f us of %zu (x%.2f)  predicted %10.1f  %5.2f\n", one.device.c_str(),
                  one.shape.c_str(), one.published, one.count, one.spread, one.predicted,
                  one.predicted / one.published);
  }
  std::printf("FlashAttention-2 of PyTorch, as published (fitted to none of it)\n");
  std::printf("  %-12s %4s  %13s   %6s   %5s    %s\n", "device", "n", "error [%]", "median", "in [%]",
              "ratios of shapes");
  std::printf("  %-12s %4s  %6s %6s   %6s   %5s    %s\n", "", "", "mean", "90 %", "ratio", "",
              "within a factor (90 %)");
  std::set<std::string> devices;
  for (const PublishedCase& one : published) devices.insert(one.device);
  for (const std::string& device : devices) {
    std::vector<PublishedCase> cases;
    std::ranges::copy_if(published, std::back_inserter(cases),
                         [&](const PublishedCase& one) { return one.device == device; });
    print_row(device, cases);
  }
  print_row("all", published);
}

}  // namespace tilescope::model
