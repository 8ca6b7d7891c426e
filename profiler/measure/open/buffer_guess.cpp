#include "profiler/measure/open/buffer_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <stdexcept>
#include <string_view>

#include "base/text/format.hpp"

namespace tilescope {
namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 30U;

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

std::string fill_for(const KnownParameter& parameter, const GuessedBuffer& buffer) {
  if (!buffer.touched.is_read_first || buffer.touched.is_atomic) return "0";
  const bool is_floating = buffer.element.kind == Element::Kind::floating;
  return is_floating || !names_an_index(parameter.name) ? "random" : "0";
}

std::string why_this_fill(const GuessedBuffer& buffer) {
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
  buffer.element = usual_element(touched.bytes == 0 ? 4 : touched.element_bytes);
  guesses.push_back({parameter.name + ": type", std::string(buffer.element.name),
                     touched.bytes == 0
                         ? "nothing of it was touched, and the file does not say its type"
                         : fmt::format("it is accessed by {} B, and the file does not say its type",
                                       touched.element_bytes)});
}

}  // namespace

GuessedBuffer guess_buffer(const KnownParameter& parameter, const TouchedRegion& touched,
                           const BufferChoice& choice, std::vector<LaunchGuess>& guesses) {
  GuessedBuffer buffer;
  buffer.touched = touched;
  guess_element(parameter, buffer, guesses);
  const std::uint64_t bytes = buffer.element.bytes;
  buffer.count = std::max<std::uint64_t>(1, (touched.bytes + bytes - 1) / bytes);
  if (choice.elements != nullptr) {
    buffer.count = chosen_count(parameter.name, *choice.elements);
  } else {
    guesses.push_back({parameter.name + ": elements", std::to_string(buffer.count),
                       touched.bytes == 0
                           ? "nothing of it was touched"
                           : fmt::format("as far as it was {} in a trial run", use_of(touched))});
  }
  buffer.fill = choice.fill != nullptr ? *choice.fill : fill_for(parameter, buffer);
  if (choice.fill == nullptr && touched.bytes != 0)
    guesses.push_back({parameter.name + ": fill", buffer.fill, why_this_fill(buffer)});
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
