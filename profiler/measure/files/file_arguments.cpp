#include "profiler/measure/files/file_arguments.hpp"

#include <cstring>

namespace tilescope {

FileArguments::FileArguments(const LaunchFile& file, const simt::Program& program) : file_(file) {
  launch_.grid = file.grid;
  launch_.block = file.block;
  launch_.dynamic_shared_bytes = file.dynamic_shared_bytes;
  launch_.parameters.resize(program.parameter_bytes);
  for (const LaunchBuffer& buffer : file.buffers)
    addresses_.push_back(memory_.allocate(buffer.name, buffer.bytes.contents.size()));
  for (std::size_t i = 0; i < file.buffers.size(); ++i) {
    const std::vector<std::byte> contents = with_addresses(file.buffers[i].bytes);
    std::memcpy(data(addresses_[i]), contents.data(), contents.size());
  }
  for (std::size_t i = 0; i < file.arguments.size(); ++i) {
    const std::vector<std::byte> argument = with_addresses(file.arguments[i]);
    std::memcpy(launch_.parameters.data() + program.parameters[i].offset, argument.data(), argument.size());
  }
}

std::vector<std::byte> FileArguments::with_addresses(const LaunchBytes& bytes) const {
  std::vector<std::byte> contents = bytes.contents;
  for (const BufferAddress& place : bytes.addresses) {
    const std::uint64_t address = addresses_[place.buffer] + place.plus_bytes;
    std::memcpy(contents.data() + place.offset, &address, sizeof address);
  }
  return contents;
}

std::vector<FileRunBuffer> FileArguments::buffers() const {
  std::vector<FileRunBuffer> buffers;
  for (std::size_t i = 0; i < file_.buffers.size(); ++i) {
    const LaunchBuffer& given = file_.buffers[i];
    const std::byte* begin = data(addresses_[i]);
    buffers.push_back({given.argument, given.name, given.element,
                       std::vector<std::byte>(begin, begin + given.bytes.contents.size())});
  }
  return buffers;
}

}  // namespace tilescope
