#include "profiler/measure/files/file_launch.hpp"

#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>
#include <variant>

#include "base/json.hpp"

namespace tilescope {

FileLaunch::FileLaunch(simt::Program program, const FileSubject& subject) : program_(std::move(program)) {
  const Json document = subject.launch ? parse_json(contents_of(*subject.launch)) : Json::object();
  with_launch_errors([&] { place_arguments(read_launch_file(document, program_.parameters)); });
}

void FileLaunch::place_arguments(const LaunchFile& file) {
  launch_.grid = file.grid;
  launch_.block = file.block;
  launch_.dynamic_shared_bytes = file.dynamic_shared_bytes;
  launch_.parameters.resize(program_.parameter_bytes);
  for (std::size_t i = 0; i < file.arguments.size(); ++i) {
    std::byte* parameter = launch_.parameters.data() + program_.parameters[i].offset;
    if (const auto* value = std::get_if<std::vector<std::byte>>(&file.arguments[i])) {
      std::memcpy(parameter, value->data(), value->size());
    } else {
      const std::uint64_t address = place(std::get<BufferArgument>(file.arguments[i]), i);
      std::memcpy(parameter, &address, sizeof address);
    }
  }
}

std::uint64_t FileLaunch::place(const BufferArgument& buffer, std::size_t argument) {
  const std::uint64_t bytes = buffer.contents.size();
  const std::uint64_t address = memory_.allocate(buffer.name, bytes);
  std::memcpy(memory_.find(address, 1)->data, buffer.contents.data(), bytes);
  buffers_.push_back({argument, buffer.name, buffer.element, address, bytes});
  return address;
}

std::string_view FileLaunch::contents(const Buffer& buffer) const {
  return {reinterpret_cast<const char*>(memory_.find(buffer.address, 1)->data), buffer.bytes};
}

LaunchGeometry geometry_of(const simt::Launch& launch) {
  LaunchGeometry geometry;
  geometry.grid_x = launch.grid.x;
  geometry.grid_y = launch.grid.y;
  geometry.grid_z = launch.grid.z;
  geometry.threads = static_cast<std::int64_t>(launch.block.count());
  geometry.dynamic_shared_bytes = launch.dynamic_shared_bytes;
  return geometry;
}

void with_launch_errors(const std::function<void()>& run) {
  try {
    run();
  } catch (const std::invalid_argument& error) {
    throw LaunchFileError(error.what());
  } catch (const std::bad_alloc&) {
    throw std::runtime_error(
        "the kernel's buffers and variables do not fit in this machine's memory: make the buffers smaller");
  }
}

}  // namespace tilescope
