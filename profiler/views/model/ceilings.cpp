#include "profiler/views/model/ceilings.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "base/text/format.hpp"

namespace tilescope {

namespace {

/// 32 banks of 4 bytes: one wavefront a clock.
constexpr double shared_bytes_per_clk_sm = 128;
/// A warp's load of 16 bytes a lane.
constexpr double bytes_of_wide_load = 512;

struct Words {
  CeilingId id;
  const char* name;
};
constexpr std::array words{Words{CeilingId::tensor, "tensor FP16"}, Words{CeilingId::fma, "FP32 FMA"},
                           Words{CeilingId::dram, "DRAM"}, Words{CeilingId::l2, "L2"},
                           Words{CeilingId::shared, "shared memory"}};

std::string three_digits(double value) {
  return format_number(value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
}

/// A plain number: 128, 14.8.
std::string plain(double value) {
  return format_number(value, value == static_cast<double>(static_cast<long long>(value)) ? 0 : 1);
}

/// Collects the figures of one device.
class Figures {
 public:
  explicit Figures(const DeviceModel& device) : device_(device) {}

  std::optional<CeilingFigure> of_table(double value, const char* field) const {
    if (!(value > 0)) return std::nullopt;
    const auto source = device_.sources.find(field);
    return CeilingFigure{
        value, "",
        "Device table: " + (source == device_.sources.end() ? "source unknown" : source->second) + "."};
  }

  /// A rate of one SM and clock, for all SMs at a clock [MHz]. `unit` is 1e12 for TFLOP/s and 1e9 for GB/s.
  std::optional<CeilingFigure> of_rate(double per_clk_sm, double unit, double clock_mhz,
                                       const std::string& rate_words, std::string remark) const {
    if (!(per_clk_sm > 0) || !(clock_mhz > 0) || device_.sm_count <= 0) return std::nullopt;
    const double value = per_clk_sm * static_cast<double>(device_.sm_count) * clock_mhz * 1e6 / unit;
    return CeilingFigure{value, std::move(remark),
                         "Derived: " + rate_words + " * " + format_count(device_.sm_count) + " SMs * " +
                             plain(clock_mhz) + " MHz."};
  }

  std::optional<CeilingFigure> at_boost(double per_clk_sm, double unit, const std::string& rate_words) const {
    return of_rate(per_clk_sm, unit, device_.boost_clock_mhz, rate_words, "");
  }

  /// The peak under the power cap, for a figure that follows the clock.
  std::optional<CeilingFigure> capped(const CeilingFigure& peak) const {
    const double clock = device_.power_capped_clock_mhz;
    if (!(clock > 0) || !(clock < device_.boost_clock_mhz)) return std::nullopt;
    const std::string megahertz = plain(clock) + " MHz";
    const auto source = device_.sources.find("power_capped_clock_mhz");
    return CeilingFigure{peak.value * clock / device_.boost_clock_mhz, "at " + megahertz,
                         "Derived: the peak * " + megahertz + " / " + plain(device_.boost_clock_mhz) +
                             " MHz, the clock under the power cap (" +
                             (source == device_.sources.end() ? "source unknown" : source->second) + ")."};
  }

  const MeasuredFigure* measured(const char* name) const {
    const auto figure = device_.measured.find(name);
    return figure == device_.measured.end() ? nullptr : &figure->second;
  }

  std::optional<CeilingFigure> measured_bandwidth(const char* name) const {
    const MeasuredFigure* figure = measured(name);
    if (figure == nullptr) return std::nullopt;
    return CeilingFigure{figure->value, "measured", "Calibration, reads: " + figure->source + "."};
  }

  /// A measured rate of one SM and clock.
  std::optional<CeilingFigure> measured_rate(const char* name, double rate, double unit,
                                             const std::string& rate_words, std::string remark) const {
    const MeasuredFigure* figure = measured(name);
    if (figure == nullptr) return std::nullopt;
    auto made = of_rate(rate, unit, device_.boost_clock_mhz, rate_words, std::move(remark));
    if (made) made->source += " Calibration: " + figure->source + ".";
    return made;
  }

  double measured_value(const char* name) const {
    const MeasuredFigure* figure = measured(name);
    return figure == nullptr ? 0 : figure->value;
  }

 private:
  const DeviceModel& device_;
};

using Candidates = std::vector<std::optional<CeilingFigure>>;

/// The first that is known is the peak.
void add(DeviceCeilings& ceilings, CeilingId id, const std::string& device, const Candidates& candidates) {
  Ceiling ceiling{id, {}, {}};
  bool has_peak = false;
  for (const std::optional<CeilingFigure>& candidate : candidates) {
    if (!candidate) continue;
    if (has_peak) {
      ceiling.others.push_back(*candidate);
    } else {
      ceiling.peak = *candidate;
      has_peak = true;
    }
  }
  if (has_peak) {
    ceilings.known.push_back(std::move(ceiling));
    return;
  }
  ceilings.unknown.push_back(capitalised(to_words(id)) + (is_bandwidth(id) ? " bandwidth" : " peak") +
                             " of " + device +
                             " is not known: tilescope devices --calibrate measures it on the device.");
}

/// With what the power cap leaves of it, where the peak follows the clock.
Candidates with_capped(const Figures& figures, std::optional<CeilingFigure> peak,
                       std::optional<CeilingFigure> measured) {
  const auto capped = peak ? figures.capped(*peak) : std::nullopt;
  return {std::move(peak), std::move(measured), capped};
}

void add_peaks(const DeviceModel& device, const Figures& figures, DeviceCeilings& ceilings) {
  const double mma = figures.measured_value("mma_m16n8k16_fp16_flops_per_clk_sm");
  add(ceilings, CeilingId::tensor, device.name,
      with_capped(figures, figures.of_table(device.fp16_tflops, "fp16_tflops"),
                  figures.measured_rate("mma_m16n8k16_fp16_flops_per_clk_sm", mma, 1e12,
                                        plain(mma) + " FLOP/clk/SM", "mma.sync measured")));
  const auto lanes = static_cast<double>(device.fp32_lanes_per_sm);
  const double ffma = figures.measured_value("ffma_lanes_per_clk_sm");
  add(ceilings, CeilingId::fma, device.name,
      with_capped(figures, figures.at_boost(2 * lanes, 1e12, "2 * " + plain(lanes) + " lanes"),
                  figures.measured_rate("ffma_lanes_per_clk_sm", 2 * ffma, 1e12,
                                        "2 * " + plain(ffma) + " lanes", "measured")));
}

void add_bandwidths(const DeviceModel& device, const Figures& figures, DeviceCeilings& ceilings) {
  add(ceilings, CeilingId::dram, device.name,
      {figures.of_table(device.dram_gb_per_s, "dram_gb_per_s"),
       figures.measured_bandwidth("dram_read_gb_per_s")});
  auto l2 =
      figures.at_boost(device.l2_bytes_per_clk_sm, 1e9, plain(device.l2_bytes_per_clk_sm) + " B/clk/SM");
  const auto l2_source = device.sources.find("l2_bytes_per_clk_sm");
  if (l2 && l2_source != device.sources.end()) l2->source += " The rate: " + l2_source->second + ".";
  add(ceilings, CeilingId::l2, device.name,
      with_capped(figures, std::move(l2), figures.measured_bandwidth("l2_read_gb_per_s")));
  const double cycles = figures.measured_value("shared_load_16B_1way_cycles");
  const double rate = cycles > 0 ? bytes_of_wide_load / cycles : 0;
  add(ceilings, CeilingId::shared, device.name,
      with_capped(figures, figures.at_boost(shared_bytes_per_clk_sm, 1e9, "32 banks * 4 B/clk"),
                  figures.measured_rate("shared_load_16B_1way_cycles", rate, 1e9, plain(rate) + " B/clk/SM",
                                        "measured")));
}

}  // namespace

std::string to_words(CeilingId id) {
  return std::find_if(words.begin(), words.end(), [&](const Words& each) { return each.id == id; })->name;
}

bool is_bandwidth(CeilingId id) {
  return id == CeilingId::dram || id == CeilingId::l2 || id == CeilingId::shared;
}

const Ceiling* DeviceCeilings::find(CeilingId id) const {
  const auto found =
      std::find_if(known.begin(), known.end(), [&](const Ceiling& ceiling) { return ceiling.id == id; });
  return found == known.end() ? nullptr : &*found;
}

DeviceCeilings device_ceilings(const DeviceModel& device) {
  DeviceCeilings ceilings;
  const Figures figures(device);
  add_peaks(device, figures, ceilings);
  add_bandwidths(device, figures, ceilings);
  return ceilings;
}

std::string figure_words(CeilingId id, const CeilingFigure& figure) {
  if (!is_bandwidth(id)) return three_digits(figure.value) + " TFLOP/s";
  if (figure.value < 9995) return format_number(figure.value, 0) + " GB/s";
  return three_digits(figure.value / 1000) + " TB/s";
}

std::string figure_label(CeilingId id, const CeilingFigure& figure) {
  const std::string remark = figure.remark.empty() ? "" : ", " + figure.remark;
  return capitalised(to_words(id)) + remark + " " + figure_words(id, figure);
}

}  // namespace tilescope
