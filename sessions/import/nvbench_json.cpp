// nvbench's results (--json FILE, --jsonbin FILE), format 1: benchmarks with states, each with its values on the axes and
// its summaries. With --jsonbin the samples lie in files beside it, as little-endian floats of 32 bits.
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "base/json_reader.hpp"
#include "base/regular_file.hpp"
#include "sessions/import/imported_samples.hpp"
#include "sessions/import/reader.hpp"

namespace tilescope {
namespace {

constexpr const char* series_name = "l2_cold";
constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

/// nvbench writes numbers as texts, so that 64 bits survive; older versions wrote some as numbers.
double number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  const auto text = value.get<std::string>();
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size())
    throw std::invalid_argument("'" + text + "' is not a number");
  return number;
}

/// A list of {name, type, value} by name.
std::map<std::string, Json> named_values(const Json& owner, const char* key) {
  std::map<std::string, Json> values;
  const Json* list = ObjectReader(owner).find(key);
  if (list == nullptr) return values;
  at_place(key, [&] {
    require_list(*list);
    for (const Json& entry : *list) {
      std::string name;
      const ObjectReader reader(entry);
      reader.required("name", name);
      values[name] = reader.find_required("value");
    }
  });
  return values;
}

/// The summaries of a state by their tags.
class Summaries {
 public:
  explicit Summaries(const Json& state) {
    const Json* list = ObjectReader(state).find("summaries");
    if (list == nullptr) return;
    at_place("summaries", [&] {
      require_list(*list);
      for (const Json& summary : *list) {
        std::string tag;
        ObjectReader(summary).required("tag", tag);
        values_[tag] = named_values(summary, "data");
      }
    });
  }

  /// As number(), of what must be more than 0 where it is there.
  double positive(const std::string& tag) const {
    const double value = number(tag);
    const bool is_there = find(tag, "value") != nullptr;
    if (is_there && !(value > 0 && std::isfinite(value)))
      throw DocumentError("/summaries/" + tag,
                          "expected a number that is more than 0, found " + to_line(*find(tag, "value")));
    return value;
  }
  /// NaN where there is none.
  double number(const std::string& tag) const {
    const Json* value = find(tag, "value");
    return value == nullptr ? not_known : at_place("summaries/" + tag, [&] { return number_of(*value); });
  }
  const Json* find(const std::string& tag, const std::string& name) const {
    const auto summary = values_.find(tag);
    if (summary == values_.end()) return nullptr;
    const auto value = summary->second.find(name);
    return value == summary->second.end() ? nullptr : &value->second;
  }

 private:
  std::map<std::string, std::map<std::string, Json>> values_;
};

/// [s] None where the file is not there or is not a regular one.
std::optional<std::vector<double>> read_floats(const std::filesystem::path& file) {
  std::string bytes;
  try {
    bytes = read_regular_file(file, import_file_limit);
  } catch (const UnreadableFile&) {
    return std::nullopt;
  }
  if (bytes.size() % sizeof(float) != 0) return std::nullopt;  // It ends inside a sample.
  std::vector<double> values;
  values.reserve(bytes.size() / sizeof(float));
  for (std::size_t at = 0; at + sizeof(float) <= bytes.size(); at += sizeof(float)) {
    std::array<char, sizeof(float)> word{};
    std::memcpy(word.data(), bytes.data() + at, word.size());
    if constexpr (std::endian::native == std::endian::big)
      std::swap(word[0], word[3]), std::swap(word[1], word[2]);
    values.push_back(static_cast<double>(std::bit_cast<float>(word)));
  }
  return values;
}

/// [us] Samples of the cold measurement. Says in `notes` why there are none.
std::vector<double> cold_samples(const Summaries& summaries, const std::filesystem::path& file,
                                 std::vector<std::string>& notes) {
  const std::string tag = "nv/json/bin:nv/cold/sample_times";
  const Json* name = summaries.find(tag, "filename");
  if (name == nullptr || !name->is_string()) return {};
  // Relative to the JSON file in the current version, to the folder in which the benchmark ran in older ones.
  const std::filesystem::path named(name->get<std::string>());
  const std::filesystem::path beside = file.parent_path() / named.parent_path().filename() / named.filename();
  std::optional<std::vector<double>> samples = read_floats(beside);
  const Json* size = summaries.find(tag, "size");
  if (!samples || samples->empty()) {
    notes.push_back("The samples are not imported: " + named.generic_string() +
                    " is not beside the file, or is not whole.");
    return {};
  }
  if (size != nullptr && number_of(*size) != static_cast<double>(samples->size())) {
    notes.push_back("The samples are not imported: " + named.generic_string() + " holds " +
                    std::to_string(samples->size()) + ", where the file says " +
                    (size->is_string() ? size->get<std::string>() : to_line(*size)) + ".");
    return {};
  }
  for (double& sample : *samples) {
    if (!(sample > 0) || !std::isfinite(sample)) {
      notes.push_back("The samples are not imported: " + named.generic_string() +
                      " holds a time that is not positive.");
      return {};
    }
    sample *= 1e6;
  }
  return *samples;
}

/// Throws DocumentError where figures that are there do not rise, or the mean is outside of them.
void check_order(const SampleStatistics& statistics) {
  double last = 0;
  for (const double figure :
       {statistics.min_us, statistics.q1_us, statistics.p50_us, statistics.q3_us, statistics.max_us}) {
    if (std::isnan(figure)) continue;
    if (figure < last)
      throw DocumentError("/summaries/nv/cold/time/gpu",
                          "min, q1, median, q3 and max do not rise in this order");
    last = figure;
  }
  constexpr double rounding = 1e-6;
  const double mean = statistics.mean_us;
  if (mean < statistics.min_us * (1 - rounding) || mean > statistics.max_us * (1 + rounding))
    throw DocumentError("/summaries/nv/cold/time/gpu", "the mean is not between min and max");
}

/// Statistics that the file gives for a series without samples.
SampleStatistics summarised(const Summaries& summaries) {
  const auto us = [&](const char* name) {
    return summaries.positive(std::string("nv/cold/time/gpu/") + name) * 1e6;
  };
  SampleStatistics statistics;
  const double count = summaries.number("nv/cold/sample_size");
  constexpr double most = 9007199254740992.0;  // 2^53
  if (count < 0 || count > most || std::floor(count) < count)
    throw DocumentError("/summaries/nv/cold/sample_size", "expected a whole number from 0");
  statistics.count = count >= 1 ? std::llround(count) : 0;
  statistics.mean_us = us("mean");
  const double stddev =
      summaries.number("nv/cold/time/gpu/stdev/absolute");  // Infinite where samples are few.
  if (stddev < 0) throw DocumentError("/summaries/nv/cold/time/gpu/stdev/absolute", "is negative");
  statistics.stddev_us = stddev * 1e6;
  statistics.min_us = us("min");
  statistics.p10_us = statistics.p90_us = not_known;
  statistics.q1_us = us("q1");
  statistics.p50_us = us("median");
  statistics.q3_us = us("q3");
  statistics.max_us = us("max");
  statistics.launches_per_sample = 1;
  check_order(statistics);
  return statistics;
}

Latency latency_without_spread(const SampleStatistics& cold, std::vector<std::string>& notes) {
  const bool has_median = cold.p50_us > 0;
  Latency latency = latency_without_samples(has_median ? cold.p50_us : cold.mean_us, series_name);
  latency.samples = cold.count;
  if (has_median) latency.l2_cold = cold;
  notes.push_back(std::string("The file has no samples, so p10 and p90 are not known") +
                  (has_median ? "." : ", and the mean stands in the place of the median."));
  return latency;
}

std::optional<Latency> read_latency(const Summaries& summaries, const std::filesystem::path& file,
                                    std::vector<std::string>& notes) {
  SampleStatistics cold = summarised(summaries);
  const double clock = summaries.positive("nv/cold/sm_clock_rate/mean") * 1e-6;
  const std::vector<double> samples = cold_samples(summaries, file, notes);
  if (!samples.empty()) cold = recorded_statistics(samples);
  if (!(cold.mean_us > 0)) return std::nullopt;
  cold.sm_clock_mhz = clock > 0 ? clock : 0;
  if (samples.empty()) return latency_without_spread(cold, notes);
  Latency latency = latency_of(cold, series_name, notes);
  latency.l2_cold = cold;
  return latency;
}

/// By their ids.
using NvbenchDevices = std::map<std::int64_t, DeviceIdentity>;

NvbenchDevices read_devices(const Json& document) {
  NvbenchDevices devices;
  const Json& list = ObjectReader(document).find_required("devices");
  require_list(list);
  for (std::size_t i = 0; i < list.size(); ++i) {
    at_place("devices/" + std::to_string(i), [&] {
      const ObjectReader device(list[i]);
      std::int64_t id = 0;
      std::int64_t version = 0;
      device.required("id", id);
      device.required("sm_version", version);
      if (version < 10)
        throw DocumentError("/sm_version",
                            "expected a version such as 890, found " + std::to_string(version));
      DeviceIdentity& identity = devices[id];
      device.required("name", identity.name);
      identity.arch = "sm_" + std::to_string(version / 10);
    });
  }
  return devices;
}

Measurement read_state(const ImportSource& source, const std::string& benchmark,
                       const NvbenchDevices& devices, const Json& state) {
  const ObjectReader reader(state);
  bool is_skipped = false;
  reader.optional("is_skipped", is_skipped);
  std::string reason;
  reader.optional("skip_reason", reason);
  if (is_skipped) throw LeftOut("nvbench skipped it: " + reason);
  Configuration parameters;
  for (const auto& [name, value] : named_values(state, "axis_values"))
    parameters[name] = parameter_value_of(value);
  std::int64_t id = 0;
  reader.required("device", id);
  const auto device = devices.find(id);
  if (device == devices.end()) throw DocumentError("/device", "there is no device " + std::to_string(id));
  Measurement point = imported_point(source.options, benchmark, device->second, std::move(parameters));
  const Summaries summaries(state);
  point.latency = read_latency(summaries, source.file, point.notes);
  if (!point.latency) throw LeftOut("it has no time of the GPU (nv/cold/time/gpu/mean)");
  add_speed(*point.latency, point.shape);
  if (point.latency->l2_cold) point.provenance.sm_clock_mhz = point.latency->l2_cold->sm_clock_mhz;
  point.notes.emplace_back("The latency is nvbench's cold one: L2 is cleared before every launch.");
  if (const double hot = summaries.positive("nv/batch/time/gpu/mean"); hot > 0) {
    point.notes.push_back("Mean of nvbench's batch of launches, L2 warm: " + std::to_string(hot * 1e6) +
                          " us.");
  }
  return point;
}

void read_benchmark(const ImportSource& source, const Json& benchmark, const NvbenchDevices& devices,
                    ImportedFile& imported) {
  const ObjectReader reader(benchmark);
  std::string name;
  reader.required("name", name);
  const Json* states = reader.find("states");
  if (states == nullptr) return;
  require_list(*states);
  for (std::size_t i = 0; i < states->size(); ++i) {
    at_place("states/" + std::to_string(i), [&] {
      const Json& state = (*states)[i];
      try {
        imported.points.push_back(read_state(source, name, devices, state));
      } catch (const LeftOut& why) {
        std::string words;
        ObjectReader(state).optional("name", words);
        imported.left_out.push_back(name + " " + words + ": " + why.what());
      }
    });
  }
}

std::string version_of(const Json& document) {
  const Json meta = document.value("meta", Json::object());
  const Json version = meta.is_object() ? meta.value("version", Json::object()) : Json::object();
  if (!version.is_object() || !version.contains("json"))
    throw DocumentError("/meta/version/json", "is missing: the file is of an nvbench older than format 1.0");
  std::int64_t major = 0;
  at_place("meta/version/json", [&] { ObjectReader(version["json"]).required("major", major); });
  if (major != 1) {
    throw DocumentError("/meta/version/json",
                        "the file has format " + std::to_string(major) + ", and this program reads format 1");
  }
  const Json nvbench = version.value("nvbench", Json::object());
  return nvbench.is_object() ? nvbench.value("string", "") : "";
}

}  // namespace

bool is_nvbench(std::string_view text) {
  return text.find("\"benchmarks\"") != std::string_view::npos &&
         text.find("\"devices\"") != std::string_view::npos;
}

ImportedFile read_nvbench(const ImportSource& source) {
  const Json document = parse_json(source.text);
  const ObjectReader reader(document);
  ImportedFile imported;
  const std::string version = version_of(document);
  if (!version.empty()) imported.tool = tool_name(ImportFormat::nvbench) + " " + version;
  const NvbenchDevices devices = read_devices(document);
  const Json& benchmarks = reader.find_required("benchmarks");
  at_place("benchmarks", [&] { require_list(benchmarks); });
  if (benchmarks.size() > 1 && !source.options.kernel.empty()) {
    throw DocumentError("/benchmarks", "there are " + std::to_string(benchmarks.size()) +
                                           ", which --kernel would give one name: leave it out, or run one "
                                           "of them with nvbench's --benchmark");
  }
  for (std::size_t i = 0; i < benchmarks.size(); ++i) {
    at_place("benchmarks/" + std::to_string(i),
             [&] { read_benchmark(source, benchmarks[i], devices, imported); });
  }
  return imported;
}

}  // namespace tilescope
