#include "profiler/views/kernel_file/line_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/views/memory/memory_text.hpp"

namespace tilescope {
namespace {

constexpr std::array shown_metrics = {HeatMetric::time, HeatMetric::excess, HeatMetric::sectors,
                                      HeatMetric::executions, HeatMetric::findings};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    lines.push_back(text.substr(begin, end - begin));
    if (lines.back().ends_with('\r')) lines.back().pop_back();
    begin = end + 1;
  }
  return lines;
}

// Adds figures to the lines of several files.
class LineSums {
 public:
  explicit LineSums(const SourceFile& source) : own_(source.name) {
    add_file(source.name, source.text);
    for (const auto& [name, text] : source.headers) add_file(name, text);
  }

  void add_times(const Prediction& prediction) {
    for (const LineTime& time : prediction.lines) {
      const Place place = place_of(time.inlined_place, time.file, time.line);
      add(place, HeatMetric::time, time.us());
      add(place, HeatMetric::executions, time.executions);
      if (time.us() > 0)
        say(place, fmt::format("{} predicted: {} of issue, {} of waits", format_latency(time.us()),
                               format_latency(time.issue_us), format_latency(time.wait_us)));
      say(place,
          fmt::format("{} warp instructions in the whole grid", format_count(std::llround(time.executions))));
    }
  }

  void add_site(const MemorySite& site) {
    const SiteMemory memory = memory_of(site);
    if (memory == SiteMemory::local) return;
    // PTX without line information is its own source.
    const bool has_line = site.line > 0;
    const Place place = has_line ? place_of(accessing_place(site.inlined), site.file, site.line)
                                 : Place{own_, site.address ? 0 : site.ptx_line};
    const bool is_shared = memory == SiteMemory::shared;
    add(place, is_shared ? HeatMetric::excess : HeatMetric::sectors, static_cast<double>(site.conflicts));
    say(place, fmt::format("{}{}{}, {} B: {} {}, minimum {}", site.operation, site.tile.empty() ? "" : " of ",
                           site.tile, site.width_bytes, format_count(site.wavefronts),
                           is_shared ? "wavefronts" : "sectors", format_count(site.minimum)));
  }

  void add_finding(const Finding& finding) {
    for (const std::int64_t line : finding.lines) {
      add({own_, line}, HeatMetric::findings, 1);
      say({own_, line}, finding.text);
    }
  }

  std::vector<LineFigures> take() {
    std::vector<LineFigures> files;
    for (auto& [name, figures] : files_) {
      if (figures.lines.empty()) continue;
      std::ranges::copy_if(shown_metrics, std::back_inserter(figures.metrics),
                           [&](HeatMetric metric) { return figures.most(metric) > 0; });
      const bool is_own = name == own_;
      if (!is_own && figures.metrics.empty()) continue;
      files.insert(is_own ? files.begin() : files.end(), std::move(figures));
    }
    return files;
  }

 private:
  struct Place {
    std::string file;
    std::int64_t line = 0;
  };

  void add_file(const std::string& name, const std::string& text) {
    LineFigures& figures = files_[name];
    figures.file = name;
    figures.lines = lines_of(text);
    figures.words.resize(figures.lines.size());
    for (std::vector<double>& values : figures.values) values.resize(figures.lines.size());
  }

  // Where inlined code is, if its file has text.
  Place place_of(const std::string& inlined_place, const std::string& file, std::int64_t line) const {
    if (const auto inner = file_and_line(inlined_place); inner && files_.contains(inner->first))
      return {inner->first, inner->second};
    return {file.empty() ? own_ : file, line};
  }

  LineFigures* find(const Place& place) {
    const auto found = files_.find(place.file);
    if (found == files_.end() || place.line < 1) return nullptr;
    return static_cast<std::size_t>(place.line) <= found->second.lines.size() ? &found->second : nullptr;
  }

  void add(const Place& place, HeatMetric metric, double value) {
    if (LineFigures* figures = find(place))
      figures->values[static_cast<std::size_t>(metric)][static_cast<std::size_t>(place.line) - 1] += value;
  }

  void say(const Place& place, const std::string& words) {
    LineFigures* figures = find(place);
    if (figures == nullptr) return;
    std::string& text = figures->words[static_cast<std::size_t>(place.line) - 1];
    text += (text.empty() ? "" : "\n") + words;
  }

  std::string own_;
  std::map<std::string, LineFigures> files_;
};

}  // namespace

double LineFigures::most(HeatMetric metric) const {
  const std::vector<double>& list = of(metric);
  return list.empty() ? 0 : *std::ranges::max_element(list);
}

std::vector<LineFigures> line_figures(const Measurement& point, const SourceFile& source) {
  LineSums sums(source);
  if (point.prediction) sums.add_times(*point.prediction);
  if (point.memory)
    std::ranges::for_each(point.memory->sites, [&](const auto& site) { sums.add_site(site); });
  for (const Finding& finding : point.findings) sums.add_finding(finding);
  return sums.take();
}

std::string figure_words(HeatMetric metric, double value) {
  if (value <= 0) return "";
  constexpr double many = 100;
  const bool is_short_time = metric == HeatMetric::time && value < many;
  return is_short_time ? format_us(value) : format_short(std::llround(value));
}

}  // namespace tilescope
