#include "profiler/measure/files/file_launch.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>
#include <utility>

#include "base/json.hpp"
#include "profiler/measure/files/expected_formula.hpp"
#include "profiler/measure/files/module_variables.hpp"
#include "profiler/measure/files/shared_names.hpp"

namespace tilescope {
namespace {

FloatKind kind_of(const Element& element) {
  if (element.name == "f16") return FloatKind::f16;
  if (element.name == "bf16") return FloatKind::bf16;
  if (element.name == "f32") return FloatKind::f32;
  return element.name == "f64" ? FloatKind::f64 : FloatKind::none;
}

}  // namespace

FileLaunch::FileLaunch(FileProgram file, const FileSubject& subject, TouchedParts touched)
    : FileLaunch(std::make_shared<simt::Program>(std::move(*file.program)), file, subject,
                 std::move(touched)) {}

FileLaunch::FileLaunch(const std::shared_ptr<simt::Program>& program, const FileProgram& file,
                       const FileSubject& subject, TouchedParts touched)
    : InterpretedLaunch(program),
      named_program_(program),
      shared_(file.shared),
      touched_(std::move(touched)) {
  const Json document = subject.launch ? parse_json(contents_of(*subject.launch)) : Json::object();
  with_launch_errors([&] {
    file_ = read_launch_file(document, program->parameters, subject.arrays);
    place(*program, file.constant_variables);
  });
}

void FileLaunch::place(simt::Program& program, const std::vector<ConstantVariable>& constants) {
  launch_.grid = file_.grid;
  launch_.block = file_.block;
  launch_.dynamic_shared_bytes = file_.dynamic_shared_bytes;
  launch_.parameters.resize(program.parameter_bytes);
  for (const LaunchBuffer& buffer : file_.buffers) {
    const std::uint64_t bytes = buffer.bytes.size();
    const std::uint64_t address = buffer.bytes.pattern ? memory_.allocate_sparse(buffer.name, bytes)
                                                       : memory_.allocate(buffer.name, bytes);
    buffers_.push_back({buffer.argument, buffer.name, buffer.element, address, bytes});
  }
  fill_buffers();
  is_filled_ = true;
  for (std::size_t i = 0; i < file_.arguments.size(); ++i) {
    const std::vector<std::byte> argument = placed(file_.arguments[i]);
    std::memcpy(launch_.parameters.data() + program.parameters[i].offset, argument.data(), argument.size());
  }
  const ModuleVariables module{program, constants};
  set_variables(
      file_, [this](const LaunchBytes& bytes) { return placed(bytes); }, module);
  note_ = unset_variables_note(module, file_);
}

void FileLaunch::fill_buffers() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (file_.buffers[i].bytes.pattern) {
      fill_pattern(*file_.buffers[i].bytes.pattern, buffers_[i]);
      continue;
    }
    const std::vector<std::byte> contents = placed(file_.buffers[i].bytes);
    std::memcpy(memory_.find(buffers_[i].address, 1)->data, contents.data(), contents.size());
  }
}

void FileLaunch::fill_pattern(const PatternFill& pattern, const Buffer& buffer) {
  std::byte* const data = memory_.find(buffer.address, 1)->data;
  const auto found = touched_.find(buffer.name);
  if (found == touched_.end()) {
    // New memory is zeros already.
    if (pattern.pattern != FillPattern::zeros || is_filled_) pattern.write(data, 0, buffer.bytes);
    return;
  }
  for (const TouchedPart& part : found->second)
    pattern.write(data, std::min(part.first, buffer.bytes), std::min(part.end, buffer.bytes));
}

void FileLaunch::compute_expected(const std::function<bool()>& cancelled) {
  compute_formulas(file_, cancelled);
}

void FileLaunch::expect(std::map<std::string, ExpectedValues> values) {
  for (LaunchBuffer& buffer : file_.buffers) {
    const auto found = values.find(buffer.name);
    if (found != values.end() && !buffer.expected) buffer.expected = std::move(found->second);
  }
}

void FileLaunch::begin_with(BufferContents contents) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const auto found = contents.find(buffers_[i].name);
    LaunchBytes& bytes = file_.buffers[i].bytes;
    if (found == contents.end() || !bytes.addresses.empty()) continue;
    std::memcpy(memory_.find(buffers_[i].address, 1)->data, found->second.data(), found->second.size());
    bytes = {std::move(found->second), {}, std::nullopt};
  }
}

void FileLaunch::place_shared_arrays(const std::function<bool()>& cancelled) {
  if (!has_unplaced_arrays(shared_, program())) return;
  try {
    tilescope::place_shared_arrays(shared_, *named_program_, launch_, memory_, cancelled);
  } catch (const std::exception&) {
    // The launch itself says what is wrong with it; its arrays have no names.
  }
  restore();
}

void FileLaunch::restore() {
  fill_buffers();
  for (const simt::GlobalVariable& variable : program().variables) {
    if (variable.initial.empty()) continue;
    if (const auto* found = memory_.find(variable.address, variable.initial.size()))
      std::memcpy(found->data, variable.initial.data(), variable.initial.size());
  }
}

std::vector<GivenBuffer> FileLaunch::given_buffers() const {
  std::vector<GivenBuffer> buffers;
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    buffers.push_back({buffer.name, buffer.address, buffer.bytes, buffer.element.bytes,
                       file_.buffers[i].is_output, kind_of(buffer.element)});
  }
  return buffers;
}

std::vector<std::byte> FileLaunch::placed(const LaunchBytes& bytes) const {
  std::vector<std::uint64_t> addresses(buffers_.size());
  std::ranges::transform(buffers_, addresses.begin(), &Buffer::address);
  return placed(bytes, addresses);
}

std::vector<std::byte> FileLaunch::placed(const LaunchBytes& bytes,
                                          const std::vector<std::uint64_t>& addresses) {
  std::vector<std::byte> contents = bytes.contents;
  for (const BufferAddress& place : bytes.addresses) {
    const std::uint64_t address = addresses[place.buffer] + place.plus_bytes;
    std::memcpy(contents.data() + place.offset, &address, sizeof address);
  }
  return contents;
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
