#include "app/commands/reference_command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <fstream>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "app/commands/failure.hpp"
#include "app/commands/interrupt.hpp"
#include "base/json.hpp"
#include "base/regular_file.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/npy_array.hpp"
#include "profiler/measure/files/npy_file.hpp"
#include "profiler/measure/files/reference_launch.hpp"
#include "profiler/process/child_program.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::minutes time_limit{10};

std::string file_name(const std::string& buffer) {
  std::string name = buffer;
  std::ranges::replace(name, '/', '_');
  return name + ".npy";
}

void write(const fs::path& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  if (!file.flush()) throw CannotRun(fmt::format("'{}' cannot be written", path.string()));
}

std::string text_of(const std::vector<std::byte>& bytes) {
  std::string text(bytes.size(), '\0');
  std::memcpy(text.data(), bytes.data(), bytes.size());
  return text;
}

// Its elements before the launch.
std::string contents_of(const LaunchBuffer& buffer) {
  std::vector<std::byte> bytes = buffer.bytes.contents;
  if (buffer.bytes.pattern) {
    bytes.resize(buffer.bytes.size());
    buffer.bytes.pattern->write(bytes.data(), 0, bytes.size());
  }
  return text_of(bytes);
}

void write_inputs(const LaunchFile& launch, const std::string& document, const fs::path& folder) {
  write(folder / "launch.json", document);
  fs::create_directory(folder / "expected");
  for (const LaunchBuffer& buffer : launch.buffers) {
    std::vector<std::uint64_t> shape = buffer.shape;
    if (shape.empty()) shape = {buffer.bytes.size() / buffer.element.bytes};
    write(folder / file_name(buffer.name), npy_file(buffer.element, shape, contents_of(buffer)));
  }
}

Json expected_of(const std::string& name, const std::string& contents, const LaunchBuffer& buffer) {
  const std::vector<std::byte> elements = NpyArray(contents).elements(buffer.element);
  const std::string bytes = text_of(elements);
  const Tolerance tolerance = reference_tolerance({bytes, buffer.element});
  Json expected = {{"npy", name}};
  if (tolerance.relative > 0)
    expected["tolerance"] = {{"absolute", tolerance.absolute}, {"relative", tolerance.relative}};
  return expected;
}

// The buffer's entry in the launch document; null where it has none.
Json* entry_of(Json& list, const std::string& name) {
  for (Json& entry : list) {
    if (entry.contains("members")) {
      if (Json* const found = entry_of(entry["members"], name)) return found;
    } else if (entry.value("name", "") == name && entry.contains("element")) {
      return &entry;
    }
  }
  return nullptr;
}

}  // namespace

void ReferenceCommand::run() const {
  ProgramCall call;
  call.command = {"/bin/sh", "-c", command_ + " \"$1\"", "sh", folder_.path().string()};
  call.time_limit = time_limit;
  call.memory_limit = std::numeric_limits<std::uint64_t>::max();
  call.cancelled = interrupted;
  try {
    const ProgramResult result = run_program(call);
    if (!result.succeeded())
      throw CannotRun(
          fmt::format("'{}' failed with exit code {}: {}", command_, result.exit_code, result.errors));
  } catch (const ProgramCancelled&) {
    throw Stopped();
  } catch (const ProgramFailed& failed) {
    throw CannotRun(fmt::format("'{}': {}", command_, failed.what()));
  }
}

OpenFile::Params ReferenceCommand::expect(const OpenedPoint& point, OpenFile::Params params) {
  if (point.launch.empty()) throw CannotRun("there is no launch to compute the result of: " + point.reason);
  Json document = parse_json(point.launch);
  const LaunchFile launch = read_launch_alone(document, params.subject.arrays);
  write_inputs(launch, point.launch, folder_.path());
  run();
  std::vector<std::string> names;
  std::uint64_t left = sent_arrays_limit;
  for (const LaunchBuffer& buffer : launch.buffers) {
    const std::string name = "expected/" + file_name(buffer.name);
    names.push_back(name);
    const fs::path path = folder_.path() / name;
    if (!fs::exists(path)) continue;
    Json* entry = entry_of(document["arguments"], buffer.name);
    if (entry == nullptr && document.contains("buffers")) entry = entry_of(document["buffers"], buffer.name);
    if (entry == nullptr) continue;
    try {
      std::string contents = read_regular_file(path, subject_file_limit);
      (*entry)["expected"] = expected_of(name, contents, buffer);
      const std::uint64_t bytes = contents.size();
      params.subject.arrays.push_back({name, sent_file(path, std::move(contents), left)});
      if (params.subject.arrays.back().file.contents) left -= bytes;
    } catch (const std::invalid_argument& error) {
      throw CannotRun(fmt::format("{}, which '{}' wrote, cannot be read: {}", name, command_, error.what()));
    }
  }
  if (std::ranges::none_of(names, [&](const std::string& name) { return fs::exists(folder_.path() / name); }))
    throw CannotRun(fmt::format("'{}' wrote none of the files of its folder that are compared: {}", command_,
                                fmt::join(names, ", ")));
  params.subject.launch = SentFile{"the launch with expected values", document.dump()};
  return params;
}

}  // namespace tilescope
