#include "profiler/execution/sass/tests/hardware/machine_code_launch.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

#include "base/json.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope::hardware {
namespace {

namespace fs = std::filesystem;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write_text(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  if (!stream.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::string_view text_of(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::vector<std::byte> bytes_of_text(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

/// Writes contents under a name that only they have, so that launches share equal ones. Returns it.
std::string keep(std::string_view contents, const fs::path& folder, const std::string& extension) {
  std::string name = "data/" + sha256(contents).substr(0, 16) + extension;
  if (!fs::exists(folder / name)) write_text(folder / name, contents);
  return name;
}

bool is_uniform(const std::vector<std::byte>& bytes) {
  return std::all_of(bytes.begin(), bytes.end(), [&](std::byte one) { return one == bytes.front(); });
}

Json buffer_json(const LaunchBuffer& buffer, const fs::path& folder) {
  Json json = {{"name", buffer.name}, {"bytes", buffer.initial.size()}, {"output", buffer.is_output}};
  if (buffer.initial.empty() || is_uniform(buffer.initial)) {
    json["fill"] = buffer.initial.empty() ? 0 : std::to_integer<int>(buffer.initial.front());
  } else {
    json["file"] = keep(text_of(buffer.initial), folder, ".bin");
  }
  return json;
}

LaunchBuffer read_buffer(const Json& json, const fs::path& folder) {
  LaunchBuffer buffer{json.at("name"), {}, json.at("output")};
  const auto bytes = json.at("bytes").get<std::size_t>();
  if (json.contains("fill")) {
    buffer.initial.assign(bytes, static_cast<std::byte>(json.at("fill").get<int>()));
    return buffer;
  }
  const fs::path file = folder / json.at("file").get<std::string>();
  buffer.initial = bytes_of_text(read_text(file));
  if (buffer.initial.size() != bytes) {
    throw std::runtime_error(file.string() + " has " + std::to_string(buffer.initial.size()) + " B, not " +
                             std::to_string(bytes));
  }
  return buffer;
}

MachineCodeLaunch read_document(const Json& json, const fs::path& folder) {
  MachineCodeLaunch launch;
  launch.name = json.at("name");
  const std::string cubin = read_text(folder / json.at("cubin").get<std::string>());
  launch.cubin.assign(cubin.begin(), cubin.end());
  launch.entry = json.at("entry");
  launch.grid = json.at("grid");
  launch.block = json.at("block");
  launch.dynamic_shared_bytes = json.at("dynamic_shared_bytes");
  for (const Json& byte : json.at("parameters"))
    launch.parameters.push_back(static_cast<std::byte>(byte.get<int>()));
  for (const Json& pointer : json.at("pointers"))
    launch.pointers.push_back({pointer.at("offset"), pointer.at("buffer")});
  for (const Json& buffer : json.at("buffers")) launch.buffers.push_back(read_buffer(buffer, folder));
  for (const LaunchPointer& pointer : launch.pointers) {
    if (pointer.offset + sizeof(std::uint64_t) > launch.parameters.size() ||
        pointer.buffer >= launch.buffers.size())
      throw std::runtime_error("a pointer lies outside the parameters, or has no buffer");
  }
  return launch;
}

}  // namespace

std::string file_name_of(const std::string& launch_name) {
  std::string name = launch_name;
  for (char& letter : name) {
    if (std::isalnum(static_cast<unsigned char>(letter)) == 0 && letter != '-' && letter != '.') letter = '_';
  }
  return name.substr(0, 80) + "-" + sha256(launch_name).substr(0, 6);
}

void write_launch(const MachineCodeLaunch& launch, const fs::path& folder) {
  fs::create_directories(folder / "data");
  Json json = {
      {"name", launch.name},   {"cubin", keep({launch.cubin.data(), launch.cubin.size()}, folder, ".cubin")},
      {"entry", launch.entry}, {"grid", launch.grid},
      {"block", launch.block}, {"dynamic_shared_bytes", launch.dynamic_shared_bytes}};
  json["parameters"] = Json::array();
  for (const std::byte byte : launch.parameters) json["parameters"].push_back(std::to_integer<int>(byte));
  json["pointers"] = Json::array();
  for (const LaunchPointer& pointer : launch.pointers)
    json["pointers"].push_back({{"offset", pointer.offset}, {"buffer", pointer.buffer}});
  json["buffers"] = Json::array();
  for (const LaunchBuffer& buffer : launch.buffers) json["buffers"].push_back(buffer_json(buffer, folder));
  write_text(folder / (file_name_of(launch.name) + ".json"), to_line(json) + "\n");
}

MachineCodeLaunch read_launch(const fs::path& file) {
  try {
    return read_document(Json::parse(read_text(file)), file.parent_path());
  } catch (const std::exception& error) {
    throw std::runtime_error(file.string() + ": " + error.what());
  }
}

std::vector<MachineCodeLaunch> read_launches(const fs::path& folder, const std::string& prefix) {
  std::vector<MachineCodeLaunch> launches;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".json") continue;
    const std::string name = Json::parse(read_text(entry.path())).value("name", "");
    if (name.starts_with(prefix)) launches.push_back(read_launch(entry.path()));
  }
  std::sort(launches.begin(), launches.end(),
            [](const auto& one, const auto& other) { return one.name < other.name; });
  return launches;
}

}  // namespace tilescope::hardware
