#include "profiler/explanation/lessons/specimen.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <vector>

#include "base/json.hpp"
#include "base/text/format.hpp"

namespace tilescope {
namespace {

constexpr const char* declaration_begins = "/* tilescope-kernel";
constexpr const char* name_of_specimens = "specimen";

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  std::size_t at = from.empty() ? std::string::npos : text.find(from);
  if (at == std::string::npos)
    throw std::invalid_argument(fmt::format("the kernel's file has no text '{}'", from));
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
}

std::string with_plain_declaration(const std::string& source) {
  const std::size_t begin = source.find('{'), end = source.find("*/");
  if (begin == std::string::npos || end == std::string::npos || end < begin)
    throw std::invalid_argument("the kernel's file has no declaration");
  Json declaration = parse_json(std::string_view(source).substr(begin, end - begin));
  declaration["name"] = declaration["entry"] = name_of_specimens;
  declaration["title"] = "A specimen of the museum";
  declaration.erase("card");
  Json parameters = Json::array();
  for (const auto& parameter : declaration["parameters"]) {
    if (parameter.at("name") != "FAULT") parameters.push_back(parameter);
  }
  declaration["parameters"] = parameters;
  // A line for each member: laid out further, it would be longer than the code.
  std::string members;
  for (const auto& [name, value] : declaration.items())
    members += fmt::format("{}  \"{}\": {}", members.empty() ? "" : ",\n", name, value.dump());
  return source.substr(0, begin) + "{\n" + members + "\n}\n" + source.substr(end);
}

std::string number_words(double number) {
  if (number == std::floor(number)) return format_count(static_cast<std::int64_t>(number));
  return fmt::format("{:.3g}", number);
}

struct Figure {
  const char* what;
  double of_specimen, of_sound;
};

std::vector<Figure> figures(const Measurement& specimen, const Measurement& sound) {
  const MemoryCounts &a = *specimen.memory, &b = *sound.memory;
  std::vector<Figure> figures;
  const auto add = [&figures](const char* what, auto of_specimen, auto of_sound) {
    figures.push_back({what, static_cast<double>(of_specimen), static_cast<double>(of_sound)});
  };
  add("wavefronts of shared memory", a.shared_wavefronts, b.shared_wavefronts);
  add("sectors of global memory", a.global_sectors, b.global_sectors);
  add("requests to global memory", a.global_requests, b.global_requests);
  add("barriers passed", a.barriers, b.barriers);
  add("warp instructions", a.warp_instructions, b.warp_instructions);
  if (specimen.resources && sound.resources)
    add("bytes of spilled registers", specimen.resources->spill_bytes, sound.resources->spill_bytes);
  if (specimen.prediction && sound.prediction)
    add("microseconds, predicted", specimen.prediction->p50_us, sound.prediction->p50_us);
  return figures;
}

}  // namespace

std::string specimen_source(const std::string& exhibit_source, const LessonMuseum& museum, bool is_faulty) {
  const std::size_t begin = exhibit_source.find(declaration_begins);
  if (begin == std::string::npos) throw std::invalid_argument("the kernel's file has no declaration");
  std::string source = exhibit_source.substr(begin);
  for (const SpecimenEdit& edit : museum.edits)
    replace_all(source, edit.text, is_faulty ? edit.faulty : edit.sound);
  source = with_plain_declaration(source);
  source = std::regex_replace(source, std::regex("\\b" + museum.configuration.kernel + "\\b"),
                              std::string(name_of_specimens));
  if (source.find("FAULT") != std::string::npos)
    throw std::invalid_argument("FAULT is left in the specimen: an edit is missing");
  return source;
}

LessonConfiguration exhibit_of(const LessonMuseum& museum, bool is_faulty) {
  LessonConfiguration exhibit = museum.configuration;
  exhibit.parameters["FAULT"] = std::string(is_faulty ? "on" : "off");
  return exhibit;
}

bool is_same_kernel(const Measurement& specimen, const Measurement& exhibit) {
  if (specimen.status != exhibit.status) return false;
  if (!specimen.resources || !exhibit.resources) return !specimen.resources && !exhibit.resources;
  if (!specimen.memory || !exhibit.memory) return !specimen.memory && !exhibit.memory;
  // The name of the entry is a part of the machine code's hash: what the code does is compared.
  return specimen.resources->registers == exhibit.resources->registers &&
         specimen.memory->warp_instructions == exhibit.memory->warp_instructions &&
         specimen.memory->shared_wavefronts == exhibit.memory->shared_wavefronts &&
         specimen.memory->global_sectors == exhibit.memory->global_sectors &&
         specimen.memory->barriers == exhibit.memory->barriers;
}

std::string why_not_repaired(const Measurement& specimen, const Measurement& sound, bool is_exact) {
  if (!sound.memory) return "The sound kernel cannot be run here: " + sound.reason;
  for (const Finding& finding : specimen.findings) {
    if (is_fault(finding)) return "The checkers still find a fault: " + finding.text;
  }
  if (specimen.status != Status::ok) return specimen.reason;
  if (!specimen.memory) return "Nothing was counted.";
  constexpr double tolerance = 0.05;
  for (const Figure& figure : figures(specimen, sound)) {
    const double more = figure.of_specimen - figure.of_sound;
    if (more <= tolerance * figure.of_sound && !(is_exact && -more > tolerance * figure.of_sound)) continue;
    return fmt::format("The result is correct, but not all is as it could be: {} {}, a sound kernel has {}.",
                       number_words(figure.of_specimen), figure.what, number_words(figure.of_sound));
  }
  return "";
}

std::optional<std::pair<std::size_t, std::size_t>> line_range_from(const std::string& text) {
  std::size_t first = 0, last = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, first);
  if (read.ec != std::errc{} || first == 0) return std::nullopt;
  if (read.ptr == end) return std::pair(first, first);
  if (*read.ptr != '-') return std::nullopt;
  const auto rest = std::from_chars(read.ptr + 1, end, last);
  if (rest.ec != std::errc{} || rest.ptr != end || last < first) return std::nullopt;
  return std::pair(first, last);
}

std::string lines_of(const std::string& source, std::size_t first, std::size_t last) {
  std::istringstream stream(source);
  std::string line, lines;
  for (std::size_t number = 1; std::getline(stream, line) && number <= last; ++number) {
    if (number >= first) lines += (lines.empty() && number == first ? "" : "\n") + line;
  }
  return lines;
}

std::string with_lines(const std::string& source, std::size_t first, std::size_t last,
                       const std::string& replacement) {
  std::istringstream stream(source);
  std::string line, text;
  for (std::size_t number = 1; std::getline(stream, line); ++number) {
    if (number == first && !replacement.empty()) text += replacement + "\n";
    if (number < first || number > last) text += line + "\n";
  }
  return text;
}

}  // namespace tilescope
