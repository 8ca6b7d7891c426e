#include "profiler/views/model/roofline.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace tilescope {

namespace {

constexpr double bytes_of_sector = 32;
constexpr double bytes_of_wavefront = 128;

double product(std::initializer_list<std::int64_t> factors) {
  double value = 1;
  for (const std::int64_t factor : factors) value *= static_cast<double>(factor);
  return value;
}

/// The peak that bounds a point: of FMA where its instructions were counted and none is for the tensor cores.
CeilingId peak_of(const Measurement& point) {
  if (!point.memory || point.memory->instructions.empty()) return CeilingId::tensor;
  const auto tensor = point.memory->instructions.find("tensor");
  return tensor != point.memory->instructions.end() && tensor->second > 0 ? CeilingId::tensor
                                                                          : CeilingId::fma;
}

Work work_of_point(const RooflineView& view, const Measurement& point) {
  return work_of(point.shape, view.scores_kernels.contains(point.kernel) || times_part_of_attention(point));
}

/// Origin (in the order of drawing), kernel, older source.
using SeriesKey = std::tuple<int, std::string, bool>;

/// Sorts points into series and ticks.
class Placing {
 public:
  Placing(const RooflineChoice& choice, const CurrentSources& sources, RooflineView& view)
      : choice_(choice), sources_(sources), view_(view) {}

  void take(const PointList& list, bool recorded) {
    for (const auto& point : list) {
      if (is_wanted(*point)) place(point, recorded);
    }
  }

  void finish() {
    std::set<std::string> kernels;
    for (auto& [key, series] : series_) {
      kernels.insert(series.kernel);
      view_.series.push_back(std::move(series));
    }
    for (const auto& [key, tick] : ticks_) {
      kernels.insert(view_.points[tick.entries.back()]->kernel);
      view_.ticks.push_back(tick);
    }
    view_.kernels.assign(kernels.begin(), kernels.end());
    view_.all_kernels.assign(all_kernels_.begin(), all_kernels_.end());
  }

 private:
  bool is_wanted(const Measurement& point) {
    if (point.device.name != view_.device) {
      ++view_.of_other_devices;
    } else if (point.arguments) {
      ++view_.of_files;
    } else if (choice_.kernel && point.kernel != *choice_.kernel) {
      ++view_.of_other_kernels;
      if (point.status == Status::ok && bytes_of(point)) ++view_.placeable_elsewhere;
    } else if (choice_.shape && point.shape != *choice_.shape) {
      ++view_.of_other_shapes;
      if (point.status == Status::ok && bytes_of(point)) ++view_.placeable_elsewhere;
    } else if (point.status == Status::unsupported) {
      ++view_.unsupported;
    } else if (!has_run(point.status)) {
      ++view_.failed;
    } else {
      return true;
    }
    return false;
  }

  std::optional<double> bytes_of(const Measurement& point) const {
    return bytes_at(point, view_.level, work_of_point(view_, point));
  }

  void place(const SharedMeasurement& shared, bool recorded) {
    const Measurement& point = *shared;
    all_kernels_.insert(point.kernel);
    const Work work = work_of_point(view_, point);
    const std::optional<double> bytes = bytes_of(point);
    if (!bytes) {
      ++view_.without_bytes;
      return;
    }
    const double intensity = work.flops / *bytes;
    const Roof roof = view_.roof_at(intensity, peak_of(point));
    const auto entry = static_cast<std::uint32_t>(view_.points.size());
    view_.points.push_back(shared);
    const bool older = !recorded && is_of_older_source(point, sources_);
    const auto add = [&](RooflineOrigin origin, double us) {
      if (!(us > 0)) return;
      RooflineSeries& series = series_[{-static_cast<int>(origin), point.kernel, older}];
      series.origin = origin;
      series.kernel = point.kernel;
      series.older_source = older;
      series.dots.push_back({intensity, work.flops / us * 1e-6, roof, entry});
    };
    if (point.latency) {
      const bool is_recorded = recorded || point.latency->kind == LatencyKind::recorded;
      add(is_recorded ? RooflineOrigin::recorded : RooflineOrigin::measured, point.latency->p50_us);
    }
    if (point.prediction) add(RooflineOrigin::predicted, point.prediction->p50_us);
    if (!point.latency && !point.prediction) add_tick(intensity, roof, entry);
  }

  void add_tick(double intensity, const Roof& roof, std::uint32_t entry) {
    RooflineTick& tick = ticks_[{intensity, roof.tflops, view_.points[entry]->kernel}];
    tick.intensity = intensity;
    tick.roof = roof;
    tick.entries.push_back(entry);
  }

  const RooflineChoice& choice_;
  const CurrentSources& sources_;
  RooflineView& view_;
  std::set<std::string> all_kernels_;
  std::map<SeriesKey, RooflineSeries> series_;
  std::map<std::tuple<double, double, std::string>, RooflineTick> ticks_;
};

/// A margin around the points and around the place where bandwidth and arithmetic meet.
void set_axes(RooflineView& view) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  double low_tflops = std::numeric_limits<double>::infinity();
  double high_tflops = 0;
  const auto include = [&](double intensity, double tflops) {
    low = std::min(low, intensity);
    high = std::max(high, intensity);
    low_tflops = std::min(low_tflops, tflops);
    high_tflops = std::max(high_tflops, tflops);
  };
  for (const RooflineSeries& series : view.series) {
    for (const RooflineDot& dot : series.dots) include(dot.intensity, dot.tflops);
  }
  for (const RooflineTick& tick : view.ticks) include(tick.intensity, tick.roof.tflops);
  const Ceiling* bandwidth = view.ceilings.find(ceiling_of(view.level));
  for (const CeilingId id : {CeilingId::tensor, CeilingId::fma}) {
    const Ceiling* peak = view.ceilings.find(id);
    if (peak == nullptr) continue;
    const double ridge = bandwidth == nullptr ? 100 : peak->peak.value * 1000 / bandwidth->peak.value;
    include(ridge / 4, peak->peak.value / 4);
    include(ridge * 2, peak->peak.value);
  }
  if (!(high > 0)) return;
  view.low_intensity = low / 2;
  view.high_intensity = high * 4;
  view.low_tflops = low_tflops / 2;
  view.high_tflops = high_tflops * 3;
}

bool has_height(const Measurement& point) {
  return (point.latency && point.latency->p50_us > 0) || (point.prediction && point.prediction->p50_us > 0);
}

}  // namespace

CeilingId ceiling_of(MemoryLevel level) {
  switch (level) {
    case MemoryLevel::dram:
      return CeilingId::dram;
    case MemoryLevel::l2:
      return CeilingId::l2;
    case MemoryLevel::shared:
      return CeilingId::shared;
  }
  return CeilingId::dram;
}

Work work_of(const Shape& shape, bool scores_alone) {
  const auto element = static_cast<double>(element_bytes(shape.dtype));
  const double q = product({shape.B, shape.Hq, shape.Sq, shape.D});
  const double k = product({shape.B, shape.Hkv, shape.Sk, shape.D});
  Work work;
  if (scores_alone) {
    const double scores = product({shape.B, shape.Hq, shape.Sq, shape.Sk});
    work.flops = 2 * scores * static_cast<double>(shape.D);
    work.compulsory_bytes = element * (q + k + scores);
  } else {
    work.flops = attention_flops(shape);
    work.compulsory_bytes = element * (2 * q + 2 * k);
  }
  return work;
}

std::optional<double> bytes_at(const Measurement& point, MemoryLevel level, const Work& work) {
  double bytes = work.compulsory_bytes;
  if (level != MemoryLevel::dram) {
    if (!point.memory) return std::nullopt;
    bytes = level == MemoryLevel::l2
                ? static_cast<double>(point.memory->global_sectors) * bytes_of_sector
                : static_cast<double>(point.memory->shared_wavefronts) * bytes_of_wavefront;
  }
  return bytes > 0 ? std::optional(bytes) : std::nullopt;
}

std::string to_string(RooflineOrigin origin) {
  switch (origin) {
    case RooflineOrigin::measured:
      return "measured";
    case RooflineOrigin::predicted:
      return "predicted";
    case RooflineOrigin::recorded:
      return "recorded";
  }
  return "";
}

std::size_t RooflineView::dots() const {
  std::size_t count = 0;
  for (const RooflineSeries& each : series) count += each.dots.size();
  return count;
}

std::size_t RooflineView::on_the_roof() const {
  std::size_t count = 0;
  for (const RooflineTick& tick : ticks) count += tick.entries.size();
  return count;
}

std::optional<std::uint32_t> RooflineView::entry_of(const Measurement* point) const {
  if (point == nullptr) return std::nullopt;
  const auto found =
      std::find_if(points.begin(), points.end(), [&](const auto& each) { return each.get() == point; });
  return found == points.end() ? std::nullopt
                               : std::optional(static_cast<std::uint32_t>(found - points.begin()));
}

bool RooflineView::has_roof() const {
  return ceilings.find(CeilingId::tensor) != nullptr || ceilings.find(CeilingId::fma) != nullptr;
}

Roof RooflineView::roof_at(double intensity, CeilingId peak, MemoryLevel of_level) const {
  const Ceiling* arithmetic = ceilings.find(peak);
  if (arithmetic == nullptr)
    arithmetic = ceilings.find(peak == CeilingId::tensor ? CeilingId::fma : CeilingId::tensor);
  const Ceiling* bandwidth = ceilings.find(ceiling_of(of_level));
  Roof roof;
  if (arithmetic != nullptr) roof = {arithmetic->peak.value, arithmetic->id};
  if (bandwidth == nullptr) return roof;
  const double moved = bandwidth->peak.value * intensity / 1000;
  if (arithmetic == nullptr || moved < roof.tflops) roof = {moved, bandwidth->id};
  return roof;
}

RooflineView roofline(const DeviceModel& device, const RooflineChoice& choice, const PointList& session,
                      const PointList& recorded, const CurrentSources& sources) {
  RooflineView view;
  view.device = device.name;
  view.level = choice.level;
  view.ceilings = device_ceilings(device);
  view.scores_kernels = choice.scores_kernels;
  Placing placing(choice, sources, view);
  placing.take(recorded, true);
  placing.take(session, false);
  placing.finish();
  set_axes(view);
  return view;
}

std::optional<LowestRoof> lowest_roof(const RooflineView& view, const Measurement& point) {
  if (!has_run(point.status) || point.device.name != view.device) return std::nullopt;
  const Work work = work_of_point(view, point);
  LowestRoof lowest;
  for (const MemoryLevel level : memory_levels) {
    const std::optional<double> bytes = bytes_at(point, level, work);
    if (!bytes) {
      if (!point.memory) lowest.uncounted.push_back(level);
      continue;
    }
    const double intensity = work.flops / *bytes;
    const Roof roof = view.roof_at(intensity, peak_of(point), level);
    if (!(roof.tflops > 0) || (lowest.roof.tflops > 0 && roof.tflops >= lowest.roof.tflops)) continue;
    lowest.roof = roof;
    lowest.intensity = is_bandwidth(roof.limited_by) ? std::optional(intensity) : std::nullopt;
  }
  return lowest.roof.tflops > 0 ? std::optional(lowest) : std::nullopt;
}

std::vector<RooflineDevice> roofline_devices(const PointList& session, const PointList& recorded) {
  std::map<std::string, RooflineDevice> devices;
  for (const PointList* list : {&session, &recorded}) {
    for (const auto& point : *list) {
      if (point->status != Status::ok) continue;
      RooflineDevice& device = devices[point->device.name];
      device.name = point->device.name;
      ++device.points;
      if (has_height(*point)) ++device.with_height;
    }
  }
  std::vector<RooflineDevice> all;
  all.reserve(devices.size());
  for (const auto& [name, device] : devices) all.push_back(device);
  return all;
}

std::string first_roofline_device(const std::vector<RooflineDevice>& devices, const std::string& picked) {
  const RooflineDevice* best = nullptr;
  for (const RooflineDevice& device : devices) {
    if (device.name == picked && device.with_height > 0) return picked;
    if (device.with_height > 0 && (best == nullptr || device.with_height > best->with_height)) best = &device;
  }
  return best == nullptr ? picked : best->name;
}

}  // namespace tilescope
