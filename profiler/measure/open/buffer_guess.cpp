#include "profiler/measure/open/buffer_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <exception>
#include <stdexcept>
#include <string_view>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 35U;

// Whole numbers that address something else begin as 0, which lies in every buffer.
bool names_an_index(std::string_view name) {
  constexpr std::array<std::string_view, 18> parts = {"idx",  "ind",   "ptr",   "offset", "row",   "col",
                                                      "tok",  "label", "table", "seqlen", "cu_",   "map",
                                                      "slot", "page",  "start", "target", "count", "lock"};
  std::string text;
  for (const char letter : name) text += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return std::ranges::any_of(parts,
                             [&](std::string_view part) { return text.find(part) != std::string::npos; });
}

Element usual_element(std::uint32_t bytes) {
  const char* name = "f32";
  if (bytes == 1) name = "u8";
  if (bytes == 2) name = "f16";
  if (bytes == 8) name = "f64";
  return *element_named(name);
}

std::string use_of(const TouchedRegion& touched) {
  if (touched.is_atomic) return "updated by atomics";
  if (touched.is_read && touched.is_written) return "read and written";
  return touched.is_written ? "written" : "read";
}

std::uint64_t chosen_count(const std::string& name, const std::string& text) {
  std::uint64_t count = 0;
  const bool is_number = !text.empty() && text.size() < 16 && std::ranges::all_of(text, [](char letter) {
    return letter >= '0' && letter <= '9';
  });
  if (is_number) count = std::stoull(text);
  if (count == 0)
    throw std::invalid_argument(
        fmt::format("'{}' for the elements of {} must be a whole number from 1", text, name));
  return count;
}

std::string checked_fill(const std::string& name, const std::string& fill) {
  if (fill == "random" || fill == "iota" || fill == "nan" || fill == "inf" || fill == "-inf") return fill;
  try {
    std::size_t end = 0;
    std::stod(fill, &end);
    if (end == fill.size()) return fill;
  } catch (const std::exception&) {
    // refused below
  }
  throw std::invalid_argument(
      fmt::format("'{}' for the fill of {} must be random, iota, nan or a number", fill, name));
}

// An input that the program makes of equal numbers would hide which element is used: it is random instead.
bool has_written_fill(const GuessedBuffer& buffer, const BufferSources& sources) {
  if (!sources.written || sources.written->fill.empty()) return false;
  return sources.written->fill == "0" || buffer.touched.is_written;
}

std::string fill_for(const KnownParameter& parameter, const GuessedBuffer& buffer,
                     const BufferSources& sources) {
  if (has_written_fill(buffer, sources)) return sources.written->fill;
  if (!buffer.touched.is_read_first || buffer.touched.is_atomic) return "0";
  const bool is_floating = buffer.element.kind == Element::Kind::floating;
  return is_floating || !names_an_index(parameter.name) ? "random" : "0";
}

// The size that up to three numbers of the launch give and that is a little more than what was touched: blocks between
// those that ran may reach further. 0 for none.
std::uint64_t natural_count(std::uint64_t touched, const BufferSources& sources) {
  const std::uint64_t slack = std::max<std::uint64_t>(touched / 50, sources.threads_of_block);
  std::uint64_t nearest = 0;
  const auto consider = [&](double product) {
    if (!(product >= static_cast<double>(touched)) || product > static_cast<double>(touched + slack)) return;
    const auto count = static_cast<std::uint64_t>(product);
    if (nearest == 0 || count < nearest) nearest = count;
  };
  std::vector<double> sizes;
  for (const std::optional<double>& number : sources.numbers)
    if (number && *number > 1 && *number == std::floor(*number)) sizes.push_back(*number);
  for (std::size_t a = 0; a < sizes.size(); ++a) {
    consider(sizes[a]);
    for (std::size_t b = a + 1; b < sizes.size(); ++b) {
      consider(sizes[a] * sizes[b]);
      for (std::size_t c = b + 1; c < sizes.size(); ++c) consider(sizes[a] * sizes[b] * sizes[c]);
    }
  }
  return nearest;
}

struct GuessedCount {
  std::uint64_t count = 1, before = 0;
  /// "" where the user gave it.
  std::string reason;
};

GuessedCount guess_count(const KnownParameter& parameter, const GuessedBuffer& buffer,
                         const BufferSources& sources) {
  const std::uint64_t bytes = buffer.element.bytes;
  const TouchedRegion& touched = sources.touched;
  if (sources.elements != nullptr) return {chosen_count(parameter.name, *sources.elements), 0, ""};
  if (sources.written && !sources.written->bytes.is_guess &&
      sources.written->bytes.value >= static_cast<double>(bytes))
    return {static_cast<std::uint64_t>(sources.written->bytes.value) / bytes,
            sources.written->offset_bytes / bytes, sources.written->bytes.reason};
  const std::uint64_t reached = std::max<std::uint64_t>(1, (touched.bytes + bytes - 1) / bytes);
  if (touched.bytes == 0) return {1, 0, "nothing of it was touched"};
  if (const std::uint64_t natural = natural_count(reached, sources); natural != 0)
    return {
        natural, 0,
        fmt::format("the size that the numbers give; {} up to {} in a trial run", use_of(touched), reached)};
  return {reached, 0, fmt::format("as far as it was {} in a trial run", use_of(touched))};
}

std::string why_this_fill(const GuessedBuffer& buffer, const BufferSources& sources) {
  if (has_written_fill(buffer, sources))
    return "the host code fills it with " + (buffer.fill == "0" ? "zeros" : buffer.fill);
  if (buffer.fill == "random")
    return buffer.element.kind == Element::Kind::floating
               ? "read before it is written: values in [-1, 1)"
               : "read before it is written: whole numbers from 0 to 7";
  if (buffer.touched.is_atomic) return "updated by atomics: it starts as zeros";
  return buffer.touched.is_read_first ? "an index or a count by its name: zeros lie in every buffer"
                                      : "written before it is read";
}

void guess_element(const KnownParameter& parameter, GuessedBuffer& buffer,
                   std::vector<LaunchGuess>& guesses) {
  const TouchedRegion& touched = buffer.touched;
  if (parameter.element) {
    buffer.element = *parameter.element;
    return;
  }
  buffer.element = usual_element(touched.element_bytes == 0 ? 4 : touched.element_bytes);
  guesses.push_back({parameter.name + ": type", std::string(buffer.element.name),
                     touched.element_bytes == 0
                         ? "nothing of it was touched, and the file does not say its type"
                         : fmt::format("it is accessed by {} B, and the file does not say its type",
                                       touched.element_bytes)});
}

// Elements up to the next multiple of 4 B of a buffer that is updated by atomics: one of 2 B accesses the word around them,
// as it may, since allocations have multiples of 256 B.
std::uint64_t rest_of_word(const GuessedBuffer& buffer) {
  constexpr std::uint64_t word = 4;
  const std::uint64_t bytes = buffer.element.bytes, beyond = buffer.count * bytes % word;
  return buffer.touched.is_atomic && bytes < word && beyond != 0 ? (word - beyond) / bytes : 0;
}

}  // namespace

GuessedBuffer guess_buffer(const KnownParameter& parameter, const BufferSources& sources,
                           std::vector<LaunchGuess>& guesses) {
  GuessedBuffer buffer;
  buffer.touched = sources.touched;
  guess_element(parameter, buffer, guesses);
  const GuessedCount count = guess_count(parameter, buffer, sources);
  buffer.count = count.count;
  buffer.before = std::min(count.before, count.count - 1);
  std::string reason = count.reason;
  if (const std::uint64_t rest = rest_of_word(buffer); rest != 0 && !reason.empty()) {
    buffer.count += rest;
    reason += "; with the rest of the 4 B that an atomic operation accesses";
  }
  if (!reason.empty())
    guesses.push_back({parameter.name + ": elements", std::to_string(buffer.count), reason});
  if (sources.written && sources.fill == nullptr && sources.elements == nullptr)
    buffer.contents = sources.written->contents;
  if (!buffer.contents.empty()) {
    guesses.push_back({parameter.name + ": fill", "its tensor", sources.written->bytes.reason});
    return buffer;
  }
  buffer.fill = sources.fill != nullptr ? checked_fill(parameter.name, *sources.fill)
                                        : fill_for(parameter, buffer, sources);
  if (sources.fill == nullptr && sources.touched.element_bytes != 0)
    guesses.push_back({parameter.name + ": fill", buffer.fill, why_this_fill(buffer, sources)});
  return buffer;
}

std::string why_too_large(const GuessedLaunch& launch, std::uint64_t total_bytes) {
  if (total_bytes <= most_bytes) return "";
  std::size_t largest = launch.buffers.size();
  std::uint64_t most = 0;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    if (!launch.buffers[i]) continue;
    const std::uint64_t bytes = launch.buffers[i]->count * launch.buffers[i]->element.bytes;
    if (bytes <= most) continue;
    most = bytes;
    largest = i;
  }
  return fmt::format(
      "The buffers would have {} together, most of it {} ({}), and {} are run: a size or a stride is guessed "
      "too large. "
      "Give a smaller one (--set NAME=VALUE).",
      format_bytes(static_cast<std::int64_t>(total_bytes)), launch.parameters[largest].name,
      format_bytes(static_cast<std::int64_t>(most)), format_bytes(static_cast<std::int64_t>(most_bytes)));
}

}  // namespace tilescope
