#include "profiler/measure/open/host_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>
#include <utility>

#include "profiler/measure/files/npy_array.hpp"
#include "profiler/measure/files/reference_launch.hpp"

namespace tilescope {
namespace {

using Sources = std::vector<std::shared_ptr<const CudaSource>>;

std::string last_part(const std::string& name) {
  return name.substr(name.find_last_of(':') + 1);
}

const SourceFunction* function_named(const Sources& sources, const std::string& name, std::size_t arguments) {
  for (const auto& source : sources)
    for (const SourceFunction& function : source->host_functions())
      if (last_part(function.name) == name && function.parameters.size() >= arguments) return &function;
  return nullptr;
}

void add_tensor(const std::string& name, const HostTensor& tensor, std::uint64_t element_bytes,
                std::map<std::string, double>& values) {
  const auto rank = static_cast<std::int64_t>(tensor.shape.size());
  const auto count = static_cast<double>(tensor.count());
  values[name + ".numel()"] = count;
  values[name + ".nbytes()"] = count * static_cast<double>(element_bytes);
  values[name + ".element_size()"] = values[name + ".itemsize()"] = static_cast<double>(element_bytes);
  values[name + ".dim()"] = values[name + ".ndimension()"] = static_cast<double>(rank);
  for (std::int64_t axis = 0; axis < rank; ++axis) {
    const auto size = static_cast<double>(tensor.shape[static_cast<std::size_t>(axis)]);
    const auto stride = static_cast<double>(tensor.strides[static_cast<std::size_t>(axis)]);
    for (const std::int64_t index : {axis, axis - rank}) {
      values[fmt::format("{}.size({})", name, index)] = size;
      values[fmt::format("{}.stride({})", name, index)] = stride;
    }
    values[fmt::format("{}.sizes()[{}]", name, axis)] = size;
    values[fmt::format("{}.strides()[{}]", name, axis)] = stride;
  }
}

std::uint64_t bytes_of(const HostTensor& tensor) {
  const std::optional<Element> element = element_named(tensor.element);
  return element ? static_cast<std::uint64_t>(tensor.count()) * element->bytes : 0;
}

WrittenBuffer buffer_of(const HostTensor& tensor, const std::string& name, const std::string& caller) {
  const std::string reason = fmt::format("the tensor '{}' that {} passes", name, caller);
  WrittenBuffer buffer{{static_cast<double>(bytes_of(tensor)), reason}};
  buffer.contents = tensor.array;
  return buffer;
}

}  // namespace

NamedCall::NamedCall(const std::vector<HostCall>& calls, const Sources& sources,
                     const std::string& host_function) {
  if (calls.empty()) return;
  const auto of_function = std::ranges::find(calls, last_part(host_function),
                                             [](const HostCall& call) { return last_part(call.function); });
  const HostCall& call = of_function == calls.end() ? calls.front() : *of_function;
  const SourceFunction* const function = function_named(sources, call.function, call.arguments.size());
  if (function == nullptr) return;
  call_ = &call;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) names_.push_back(function->parameters[i].name);
}

std::map<std::string, double> NamedCall::values() const {
  std::map<std::string, double> values;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const HostArgument& argument = call_->arguments[i];
    if (argument.number) values[names_[i]] = *argument.number;
    const std::optional<Element> element =
        argument.tensor ? element_named(argument.tensor->element) : std::nullopt;
    if (element) add_tensor(names_[i], *argument.tensor, element->bytes, values);
  }
  return values;
}

void NamedCall::take_tensors(WrittenKernel& written) const {
  for (std::size_t i = 0; i < std::min(written.parameters.size(), written.passed.size()); ++i) {
    if (written.parameters[i].type.find('*') == std::string::npos) continue;
    const auto name = std::ranges::find(names_, written.passed[i].name);
    if (name == names_.end() || written.passed[i].name.empty()) continue;
    const auto& tensor = call_->arguments[static_cast<std::size_t>(name - names_.begin())].tensor;
    if (!tensor || bytes_of(*tensor) == 0) continue;
    written.buffers.resize(written.parameters.size());
    written.buffers[i] = buffer_of(*tensor, *name, call_->caller);
  }
}

std::vector<std::string> kernels_of(const std::vector<HostCall>& calls, const Sources& sources) {
  std::vector<std::string> kernels;
  for (const HostCall& call : calls) {
    const std::size_t before = kernels.size();
    for (const auto& source : sources)
      for (const SourceLaunch& launch : source->launches())
        if (last_part(launch.host_function) == last_part(call.function))
          kernels.insert(kernels.begin() + static_cast<std::ptrdiff_t>(before), launch.kernel);
  }
  return kernels;
}

std::string expect_result(const HostCall& call, const std::vector<SentArray>& arrays, GuessedLaunch& launch) {
  if (call.results.empty())
    return fmt::format("What {}() should return is not known: {} does more with it.", call.function,
                       call.caller);
  const HostTensor& result = call.results.front();
  const auto array = std::ranges::find(arrays, result.array, &SentArray::name);
  if (array == arrays.end())
    return fmt::format("What {}() should return is too large to be compared.", call.function);
  std::vector<GuessedBuffer*> written;
  for (std::optional<GuessedBuffer>& buffer : launch.buffers) {
    if (!buffer || !buffer->touched.is_written) continue;
    if (!buffer->expected.empty()) return "";
    if (buffer->count == static_cast<std::uint64_t>(result.count())) written.push_back(&*buffer);
  }
  if (written.size() != 1)
    return fmt::format(
        "{} buffers that the launch writes have the {} elements that {}() should return: it is not known "
        "where they "
        "lie.",
        written.empty() ? "None of the" : "Several", result.count(), call.function);
  GuessedBuffer& buffer = *written.front();
  const std::string contents = contents_of(array->file);
  const std::vector<std::byte> elements = NpyArray(contents).elements(buffer.element);
  std::string bytes(elements.size(), '\0');
  std::memcpy(bytes.data(), elements.data(), elements.size());
  const Tolerance tolerance = reference_tolerance({bytes, buffer.element});
  buffer.expected_array = {result.array, tolerance.absolute, tolerance.relative};
  return "";
}

}  // namespace tilescope
