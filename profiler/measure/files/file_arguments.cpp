#include "profiler/measure/files/file_arguments.hpp"

#include <cstring>
#include <variant>

namespace tilescope {

FileArguments::FileArguments(const LaunchFile& file, const simt::Program& program) : file_(file) {
  launch_.grid = file.grid;
  launch_.block = file.block;
  launch_.dynamic_shared_bytes = file.dynamic_shared_bytes;
  launch_.parameters.resize(program.parameter_bytes);
  for (std::size_t i = 0; i < file.arguments.size(); ++i) {
    std::byte* parameter = launch_.parameters.data() + program.parameters[i].offset;
    if (const auto* value = std::get_if<std::vector<std::byte>>(&file.arguments[i])) {
      std::memcpy(parameter, value->data(), value->size());
      addresses_.push_back(0);
      continue;
    }
    const auto& buffer = std::get<BufferArgument>(file.arguments[i]);
    const std::uint64_t address = memory_.allocate(buffer.name, buffer.contents.size());
    std::memcpy(data(address), buffer.contents.data(), buffer.contents.size());
    std::memcpy(parameter, &address, sizeof address);
    addresses_.push_back(address);
  }
}

std::vector<FileRunBuffer> FileArguments::buffers() const {
  std::vector<FileRunBuffer> buffers;
  for (std::size_t i = 0; i < file_.arguments.size(); ++i) {
    const auto* given = std::get_if<BufferArgument>(&file_.arguments[i]);
    if (given == nullptr) continue;
    const std::byte* begin = data(addresses_[i]);
    buffers.push_back({static_cast<std::int64_t>(i), given->name, given->element,
                       std::vector<std::byte>(begin, begin + given->contents.size())});
  }
  return buffers;
}

namespace {

FloatKind kind_of(const Element& element) {
  if (element.name == "f16") return FloatKind::f16;
  if (element.name == "bf16") return FloatKind::bf16;
  if (element.name == "f32") return FloatKind::f32;
  return element.name == "f64" ? FloatKind::f64 : FloatKind::none;
}

}  // namespace

std::vector<GivenBuffer> FileArguments::given_buffers() const {
  std::vector<GivenBuffer> buffers;
  for (std::size_t i = 0; i < file_.arguments.size(); ++i) {
    const auto* given = std::get_if<BufferArgument>(&file_.arguments[i]);
    if (given == nullptr) continue;
    buffers.push_back({given->name, addresses_[i], given->contents.size(), given->element.bytes,
                       given->is_output, kind_of(given->element)});
  }
  return buffers;
}

}  // namespace tilescope
