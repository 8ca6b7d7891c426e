#include "profiler/execution/sass/tests/hardware/machine_code_outputs.hpp"

#include "base/json.hpp"
#include "profiler/execution/ptx/tests/hardware/recorded_outputs.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {

std::string bits_sha256(const Region& region, const std::vector<std::vector<std::byte>>& buffers) {
  const auto bytes = bytes_of_region(region, buffers);
  return sha256({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

Json keep_outputs(const Case& launch, const std::vector<std::vector<std::byte>>& buffers) {
  Json regions = Json::array();
  for (const Region& region : launch.regions) {
    regions.push_back(keep_region(region, bytes_of_region(region, buffers)));
    regions.back()["bits_sha256"] = bits_sha256(region, buffers);
  }
  return regions;
}

std::string one_line_each(const Json& document, const std::string& member) {
  std::string text = "{\n";
  for (const auto& [key, value] : document.items()) {
    if (key == member) continue;
    text += " " + Json(key).dump() + ": " + to_line(value) + ",\n";
  }
  text += " " + Json(member).dump() + ": {";
  const char* separator = "\n";
  for (const auto& [key, value] : document.at(member).items()) {
    text += separator + ("  " + Json(key).dump()) + ": " + to_line(value);
    separator = ",\n";
  }
  return text + "\n }\n}\n";
}

}  // namespace tilescope::hardware
