// Kernel Tuner's cache files: what was tuned, and an entry for each configuration with its times in ms. A run that was
// ended leaves the file open: without its last two brackets, with a comma behind the last entry.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "base/json_reader.hpp"
#include "sessions/import/imported_samples.hpp"
#include "sessions/import/reader.hpp"

namespace tilescope {
namespace {

struct Failure {
  const char* name;
  Status status;
};
constexpr Failure failures[] = {{"InvalidConfig", Status::invalid_configuration},
                                {"CompilationFailedConfig", Status::compile_failed},
                                {"RuntimeFailedConfig", Status::launch_failed},
                                {"ErrorConfig", Status::launch_failed}};

/// Members that the entries of a file share.
struct Tuned {
  std::string kernel;
  DeviceIdentity device;
  std::string problem_size;
  std::string objective = "time";
  std::vector<std::string> parameters;
  /// Shape in a file that Tilescope wrote.
  std::optional<Shape> shape;
};

std::string without_last_comma(std::string text) {
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (text.ends_with(',')) text.pop_back();
  return text;
}

std::optional<Json> parsed(const std::string& text) {
  try {
    return parse_json(text);
  } catch (const JsonError&) {
    return std::nullopt;
  }
}

/// Whether the parser came to the end of the text, or to the last character before it, when it gave up.
bool ends_early(const std::string& text, const JsonError& error) {
  const std::string end = text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
  const auto last_line = static_cast<std::size_t>(std::ranges::count(end, '\n')) + 1;
  const std::size_t length = end.size() - (end.rfind('\n') + 1);
  return error.line() > last_line || (error.line() == last_line && error.column() >= length);
}

/// A file that was cut off is closed; an entry that was not written to its end is left out.
Json document_of(const std::string& text, std::vector<std::string>& left_out) {
  try {
    return parse_json(text);
  } catch (const JsonError& error) {
    if (!ends_early(text, error)) throw;
  }
  const std::string open = without_last_comma(text);
  for (const char* end : {"}}", "}"}) {
    if (std::optional<Json> closed = parsed(open + end)) return *std::move(closed);
  }
  const std::size_t last_entry = open.rfind("\n\"");
  if (last_entry != std::string::npos) {
    if (std::optional<Json> shorter = parsed(without_last_comma(open.substr(0, last_entry)) + "}}")) {
      left_out.emplace_back("the last entry: the file ends within it");
      return *std::move(shorter);
    }
  }
  return parse_json(text);  // Throws with the place.
}

Tuned read_tuned(const Json& document) {
  Tuned tuned;
  const ObjectReader reader(document);
  reader.required("kernel_name", tuned.kernel);
  reader.required("device_name", tuned.device.name);
  reader.required("tune_params_keys", tuned.parameters);
  reader.optional("objective", tuned.objective);
  reader.optional("shape", tuned.shape);
  if (const Json* size = reader.find("problem_size")) tuned.problem_size = size->dump();
  return tuned;
}

/// By what its word begins with or names: "CompilationTimeout". Another word means a launch that failed.
Status status_of_failure(const std::string& word) {
  for (const Failure& failure : failures) {
    if (word == failure.name) return failure.status;
  }
  const auto names = [&](const char* part) { return word.find(part) != std::string::npos; };
  if (names("Compil") || names("compil")) return Status::compile_failed;
  if (names("Timeout") || names("timeout") || names("TimedOut")) return Status::timed_out;
  if (names("Invalid") || names("invalid") || names("Restriction")) return Status::invalid_configuration;
  if (names("Wrong") || names("Incorrect") || names("Verification")) return Status::wrong_result;
  return Status::launch_failed;
}

/// A text where a time is expected is the failure's name, unless it is a number that should not be a text.
bool is_failure_word(const std::string& text) {
  const bool has_letter =
      std::any_of(text.begin(), text.end(), [](unsigned char letter) { return std::isalpha(letter) != 0; });
  if (!has_letter) return false;
  double number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc::invalid_argument || stopped != text.data() + text.size();
}

/// The words with which a configuration failed; none for one that did not fail.
std::optional<std::string> failure_of(const Json& entry, const std::string& objective) {
  for (const auto& [key, value] : entry.items()) {
    // Time that older versions record for a failure.
    constexpr double failure_ms = 1e20;
    if (key == "time" && value.is_number() && value.get<double>() >= failure_ms) return "a time of 1e20 ms";
    if (!value.is_string()) continue;
    auto text = value.get<std::string>();
    const bool is_known =
        std::ranges::any_of(failures, [&](const Failure& failure) { return text == failure.name; });
    if (is_known || ((key == "time" || key == objective) && is_failure_word(text))) return text;
  }
  return std::nullopt;
}

/// [us]
std::vector<double> samples_of(const ObjectReader& entry) {
  const Json* times = entry.find("times");
  if (times == nullptr) return {};
  std::vector<double> samples;
  at_place("times", [&] {
    require_list(*times);
    samples.reserve(times->size());
    for (const Json& time : *times) {
      double ms = 0;
      read_value(time, ms);
      if (!(ms > 0) || !std::isfinite(ms)) throw DocumentError("", "a time is not positive");
      samples.push_back(ms * 1e3);
    }
  });
  return samples;
}

/// p10 and p90 may be unknown, which is NaN.
void check_figures(const Latency& latency) {
  if (!(latency.p50_us > 0) || !std::isfinite(latency.p50_us))
    throw DocumentError("/p50_us", "expected a number that is more than 0");
  if (latency.p10_us <= 0) throw DocumentError("/p10_us", "expected a number that is more than 0");
  if (latency.p10_us > latency.p50_us) throw DocumentError("/p10_us", "is larger than p50_us");
  if (latency.p90_us < latency.p50_us) throw DocumentError("/p90_us", "is smaller than p50_us");
  if (latency.samples < 0) throw DocumentError("/samples", "is negative");
}

/// The figures that Tilescope adds to the entries that it writes, and Kernel Tuner does not have.
bool read_own_figures(const ObjectReader& entry, Latency& latency) {
  const Json* own = entry.find("tilescope");
  if (own == nullptr) return false;
  at_place("tilescope", [&] {
    const ObjectReader figures(*own);
    figures.required("p10_us", latency.p10_us);
    figures.required("p50_us", latency.p50_us);
    figures.required("p90_us", latency.p90_us);
    figures.optional("samples", latency.samples);
    check_figures(latency);
    figures.optional("series", latency.series);
  });
  return true;
}

Latency read_latency(const ObjectReader& entry, std::vector<std::string>& notes) {
  const std::vector<double> samples = samples_of(entry);
  if (!samples.empty()) return latency_of(recorded_statistics(samples), "kernel_tuner", notes);
  double ms = 0;
  entry.required("time", ms);
  if (!(ms > 0) || !std::isfinite(ms))
    throw DocumentError("/time", "expected a number of milliseconds that is more than 0");
  Latency latency = latency_without_samples(ms * 1e3, "kernel_tuner");
  if (!read_own_figures(entry, latency))
    notes.emplace_back(
        "The file has no samples: its mean stands in the place of the median, p10 and p90 are not known.");
  return latency;
}

/// "2023-12-22 09:54:05.502007+00:00" as "2023-12-22T09:54:05Z"; "" for a time of another zone.
std::string utc_from(const std::string& timestamp) {
  constexpr std::size_t to_the_second = 19;
  const bool is_utc = timestamp.ends_with("+00:00") || timestamp.ends_with('Z');
  if (!is_utc || timestamp.size() < to_the_second) return "";
  std::string time = timestamp.substr(0, to_the_second) + "Z";
  time[10] = 'T';
  return time;
}

/// How Kernel Tuner takes the time of a launch, which the caller must know to compare it.
constexpr const char* about_times =
    "The latency is Kernel Tuner's: one launch between two events; L2 is not cleared unless its option "
    "asks for it.";

Measurement read_entry(const ImportSource& source, const Tuned& tuned, const Json& json) {
  const ObjectReader entry(json);
  Configuration parameters;
  for (const std::string& name : tuned.parameters)
    parameters[name] = parameter_value_of(entry.find_required(name.c_str()));
  ImportOptions options = source.options;
  const bool has_shape = tuned.shape.has_value();
  if (has_shape) {
    options.sizes = tuned.shape;
    options.dtype = tuned.shape->dtype;
    options.causal = tuned.shape->causal;
  }
  Measurement point = imported_point(options, tuned.kernel, tuned.device, std::move(parameters));
  std::string timestamp;
  entry.optional("timestamp", timestamp);
  point.provenance.time_utc = utc_from(timestamp);
  entry.optional("compile_time", point.provenance.compile_ms);
  if (point.provenance.compile_ms < 0) throw DocumentError("/compile_time", "is negative");
  if (!tuned.problem_size.empty() && !has_shape)
    point.notes.push_back("Kernel Tuner's problem size: " + tuned.problem_size + ".");
  if (const std::optional<std::string> word = failure_of(json, tuned.objective)) {
    point.status = status_of_failure(*word);
    point.reason = "Kernel Tuner recorded " + *word;
    return point;
  }
  point.latency = read_latency(entry, point.notes);
  add_speed(*point.latency, point.shape);
  if (entry.find("tilescope") == nullptr) point.notes.emplace_back(about_times);
  return point;
}

}  // namespace

bool is_kernel_tuner(std::string_view text) {
  return text.find("\"tune_params_keys\"") != std::string_view::npos &&
         text.find("\"cache\"") != std::string_view::npos;
}

ImportedFile read_kernel_tuner(const ImportSource& source) {
  ImportedFile imported;
  const Json document = document_of(source.text, imported.left_out);
  const Tuned tuned = read_tuned(document);
  if (tuned.shape) imported.tool = "Tilescope, in a Kernel Tuner cache";
  const Json& entries = ObjectReader(document).find_required("cache");
  if (!entries.is_object()) throw DocumentError("/cache", "expected an object of configurations");
  imported.points.reserve(entries.size());
  for (const auto& [key, entry] : entries.items()) {
    at_place("cache/" + key, [&, &name = key, &json = entry] {
      try {
        imported.points.push_back(read_entry(source, tuned, json));
      } catch (const LeftOut& why) {
        imported.left_out.push_back(name + ": " + why.what());
      }
    });
  }
  return imported;
}

}  // namespace tilescope
