#include "profiler/measure/open/probe_arguments.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

namespace tilescope {
namespace {

std::vector<std::byte> bytes_of(double value, const Element& element, std::uint64_t bytes) {
  std::uint64_t bits = 0;
  if (element.kind == Element::Kind::floating) {
    bits = floating_bits(value, element);
  } else {
    bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
  }
  std::vector<std::byte> contents(bytes);
  std::memcpy(contents.data(), &bits, std::min<std::size_t>(bytes, sizeof bits));
  return contents;
}

// As the launch document's reader fills the buffer: each has a seed of its own. None where it is zeros or large.
std::optional<PatternFill> contents_of(const GuessedLaunch& launch, std::size_t i) {
  constexpr std::uint64_t most_filled_bytes = std::uint64_t{256} << 20U;
  const auto& buffer = launch.buffers[i];
  if (!buffer || buffer->count * buffer->element.bytes > most_filled_bytes) return std::nullopt;
  if (buffer->fill != "random" && buffer->fill != "iota") return std::nullopt;
  const auto end = launch.buffers.begin() + static_cast<std::ptrdiff_t>(i);
  const auto before = std::count_if(launch.buffers.begin(), end, [](const auto& one) {
    return one && (one->fill == "random" || one->fill == "iota" || one->fill == "0");
  });
  return PatternFill{buffer->fill == "random" ? FillPattern::random : FillPattern::iota, buffer->element,
                     buffer->count, static_cast<std::uint64_t>(before) + 1};
}

}  // namespace

std::vector<ProbeArgument> probe_arguments(const GuessedLaunch& launch) {
  std::vector<ProbeArgument> arguments;
  for (std::size_t i = 0; i < launch.parameters.size(); ++i) {
    const KnownParameter& parameter = launch.parameters[i];
    ProbeArgument argument{parameter.name,  parameter.parameter,  parameter.offset,
                           parameter.bytes, parameter.is_pointer, {}};
    if (launch.numbers[i]) argument.value = bytes_of(*launch.numbers[i], *parameter.element, parameter.bytes);
    if (i < launch.buffers.size()) argument.contents = contents_of(launch, i);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

}  // namespace tilescope
