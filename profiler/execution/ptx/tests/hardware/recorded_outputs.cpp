#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"

#include <cmath>
#include <cstring>
#include <sstream>
#include <stdexcept>

#include "base/json.hpp"
#include "kernels/device/random_input.cuh"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {
namespace {

constexpr std::size_t most_of_exact = 32, most_of_close = 256;

bool is_exact(const Region& region) {
  return region.tolerance.absolute == 0 && region.tolerance.relative == 0;
}

/// All NaN are equal: their payload is unspecified.
std::string canonical(const Region& region, std::span<const std::byte> bytes) {
  const std::size_t width = bytes_of(region.element);
  std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  for (std::size_t i = 0; i + width <= bytes.size(); i += width) {
    if (std::isnan(value_of(region.element, bytes.data() + i))) std::memset(text.data() + i, 0xFF, width);
  }
  return text;
}

std::string hexadecimal(std::span<const std::byte> bytes) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const std::byte byte : bytes) {
    text += digits[std::to_integer<unsigned>(byte) >> 4];
    text += digits[std::to_integer<unsigned>(byte) & 15];
  }
  return text;
}

std::vector<std::byte> bytes_from(const std::string& text) {
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

std::vector<std::byte> gather(const Region& region, std::span<const std::byte> bytes,
                              const std::vector<std::size_t>& indices) {
  const std::size_t width = bytes_of(region.element);
  std::vector<std::byte> chosen;
  for (const std::size_t index : indices) {
    const auto element = bytes.subspan(index * width, width);
    chosen.insert(chosen.end(), element.begin(), element.end());
  }
  return chosen;
}

}  // namespace

std::string code_sha256(const std::string& ptx) {
  std::istringstream lines(ptx);
  std::string code;
  for (std::string line; std::getline(lines, line);) {
    line.erase(0, line.find_first_not_of(" \t"));
    if (line.starts_with(".section")) break;  // the debug sections follow all code
    if (line.empty() || line.starts_with("//") || line.starts_with(".loc") || line.starts_with(".file"))
      continue;
    code += line + "\n";
  }
  return sha256(code);
}

std::vector<std::size_t> kept_elements(std::size_t count, std::size_t most) {
  std::vector<std::size_t> indices;
  const std::size_t step = count <= most ? 1 : count / most;
  for (std::size_t first = 0; first + step <= count; first += step) {
    indices.push_back(first + hash_bits(first) % step);
  }
  return indices;
}

Json keep_region(const Region& region, std::span<const std::byte> bytes) {
  const std::size_t most = is_exact(region) ? most_of_exact : most_of_close;
  const std::vector<std::size_t> indices = kept_elements(region.count, most);
  Json kept = {{"name", region.name}, {"elements", region.count}, {"sha256", nullptr}};
  if (is_exact(region)) kept["sha256"] = sha256(canonical(region, bytes));
  kept["kept"] = most;
  kept["values"] = hexadecimal(gather(region, bytes, indices));
  return kept;
}

RegionComparison compare_with_kept(const Region& region, std::span<const std::byte> here, const Json& kept) {
  const std::vector<std::byte> values = bytes_from(kept.at("values").get<std::string>());
  const std::vector<std::size_t> indices = kept_elements(region.count, kept.at("kept"));
  if (kept.at("name") != region.name || kept.at("elements") != region.count ||
      values.size() != indices.size() * bytes_of(region.element)) {
    throw std::runtime_error("the kept output '" + kept.at("name").get<std::string>() +
                             "' is not of the case's region '" + region.name + "': record the GPU again");
  }
  RegionComparison found = compare(region, gather(region, here, indices), values, indices);
  if (!kept.at("sha256").is_null() && kept.at("sha256") != sha256(canonical(region, here)) &&
      found.outside == 0) {
    found.outside = 1;
    found.first_outside = "an element that was not kept, of " + std::to_string(region.count);
  }
  return found;
}

std::span<const std::byte> bytes_of_region(const Region& region,
                                           const std::vector<std::vector<std::byte>>& buffers) {
  const std::size_t width = bytes_of(region.element);
  return std::span<const std::byte>(buffers.at(region.buffer))
      .subspan(region.first * width, region.count * width);
}

}  // namespace tilescope::hardware
