#include "profiler/measure/open/reference_guess.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "profiler/measure/open/chosen_values.hpp"
#include "profiler/measure/open/known_parameters.hpp"
#include "profiler/measure/open/written_kernels.hpp"

namespace tilescope {

Json reference_member(const OtherKernelGuess& reference, const std::vector<std::string>& outputs,
                      const std::map<std::string, std::string>& choices) {
  Json member = reference.document;
  const auto tolerance = choices.find("tolerance");
  if (tolerance != choices.end())
    member["tolerance"] = chosen_number("reference tolerance", tolerance->second);
  if (outputs.empty()) return member;
  member["buffers"] = Json::array();
  for (const std::string& name : reference.written)
    if (std::ranges::find(outputs, name) != outputs.end()) member["buffers"].push_back(name);
  if (member["buffers"].empty())
    throw std::invalid_argument(fmt::format(
        "The kernel '{}' cannot be the reference: it writes none of the buffers that are to be compared: {}",
        reference.name, fmt::join(outputs, ", ")));
  return member;
}

bool outputs_differ_in_size(const WrittenKernel& kernel, const WrittenKernel& other,
                            const std::vector<std::size_t>& outputs) {
  const auto bytes_of = [](const WrittenKernel& written, std::size_t place) -> std::optional<double> {
    if (place >= written.buffers.size() || !written.buffers[place]) return std::nullopt;
    return written.buffers[place]->bytes.value;
  };
  return std::ranges::any_of(outputs, [&](std::size_t place) {
    const std::optional<double> one = bytes_of(kernel, place), another = bytes_of(other, place);
    return one && another && *one != *another;
  });
}

const OpenedKernel* kernel_with_equal_arguments(const FileKernels& kernels, const std::string& entry,
                                                const std::vector<std::string>& launched,
                                                const std::function<bool(const std::string&)>& is_possible) {
  const auto types = [](const OpenedKernel& kernel) { return types_of_demangled(kernel.demangled); };
  const auto self = std::ranges::find(kernels.kernels, entry, &OpenedKernel::name);
  for (const std::string& name : launched) {
    const auto twin = std::ranges::find_if(kernels.kernels, [&](const OpenedKernel& kernel) {
      return plain_kernel_name(kernel.demangled) == name && types(kernel) == types(*self);
    });
    if (twin != kernels.kernels.end() && twin != self && is_possible(twin->name)) return &*twin;
  }
  return nullptr;
}

}  // namespace tilescope
