#include "profiler/measure/open/earlier_guess.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <set>
#include <utility>

#include "profiler/measure/open/written_kernels.hpp"
#include "profiler/service/requests/earlier_kernels.hpp"

namespace tilescope {
namespace {

using Choices = std::map<std::string, std::string>;

// The kernel does not begin with the guessed contents of a buffer that an earlier one writes.
void name_writer_of_fills(const OtherKernelGuess& other, std::vector<LaunchGuess>& guesses) {
  for (const std::string& buffer : other.written) {
    const auto fill = std::ranges::find(guesses, buffer + ": fill", &LaunchGuess::what);
    if (fill != guesses.end())
      fill->reason = fmt::format("before {} writes it", plain_kernel_name(other.name));
  }
}

// Buffers of the document's own list become as long as a kernel needs them.
void widen_listed(const OtherKernelGuess& other, Json& buffers) {
  for (Json& buffer : buffers) {
    const auto reach = other.reach.find(buffer.value("name", ""));
    if (reach == other.reach.end() || !buffer.contains("count")) continue;
    buffer["count"] = std::max(buffer["count"].get<std::uint64_t>(), reach->second.sized);
  }
}

std::string with_buffers(const std::string& launch, const Json& buffers) {
  Json document = Json::parse(launch);
  for (const Json& buffer : buffers) document["buffers"].push_back(buffer);
  return document.dump();
}

// Null where several kernels, such as the instances of a template, have that name in the source.
const OpenedKernel* kernel_named(const FileKernels& kernels, const std::string& name) {
  const OpenedKernel* found = nullptr;
  const std::string plain = plain_kernel_name(name);
  for (const OpenedKernel& kernel : kernels.kernels) {
    if (plain_kernel_name(kernel.demangled) != plain) continue;
    if (found != nullptr) return nullptr;
    found = &kernel;
  }
  return found;
}

// None where the kernel cannot be launched so.
std::optional<OtherKernelGuess> tried(const OtherKernelSources& sources) {
  try {
    return guess_other_kernel(sources);
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

std::set<std::string> buffers_read(const GuessedLaunch& launch) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
    if (!launch.buffers[i]) continue;
    const TouchedRegion& touched = launch.buffers[i]->touched;
    if (touched.is_read_first || touched.is_atomic) names.insert(launch.parameters[i].name);
  }
  return names;
}

}  // namespace

std::vector<Choices> take_earlier_choices(Choices& chosen) {
  std::vector<Choices> all;
  while (true) {
    Choices one = take_choices_of(earlier_kernel_role(all.size()), chosen);
    if (one.empty()) return all;
    all.push_back(std::move(one));
  }
}

EarlierKernels guess_earlier_kernels(const OtherKernelSources& sources, const std::vector<Choices>& choices,
                                     GuessedLaunch& launch, std::vector<LaunchGuess>& guesses) {
  OtherKernelSources one = sources;
  EarlierKernels all;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    one.role = earlier_kernel_role(i);
    one.choices = choices[i];
    OtherKernelGuess other = guess_other_kernel(one);
    if (!launch.buffers.empty()) widen_buffers(other, sources.chosen, launch, guesses);
    name_writer_of_fills(other, guesses);
    widen_listed(other, all.buffers);
    all.buffers.insert(all.buffers.end(), other.buffers.begin(), other.buffers.end());
    all.launches.push_back(std::move(other.document));
    guesses.insert(guesses.end(), other.guesses.begin(), other.guesses.end());
    one.variables.merge(other.variables);
    one.launch = with_buffers(sources.launch, all.buffers);
  }
  return all;
}

std::vector<LaunchGuess> offered_earlier_kernels(const OtherKernelSources& sources,
                                                 const GuessedLaunch& launch, const WrittenKernel& written) {
  constexpr std::size_t most_tried = 4;
  // By buffer, the kernel that reads it.
  std::map<std::string, std::string> readers;
  for (const std::string& buffer : buffers_read(launch)) readers[buffer] = "this kernel";
  std::vector<LaunchGuess> offered;
  const std::size_t first = written.earlier.size() - std::min(most_tried, written.earlier.size());
  OtherKernelSources one = sources;
  for (std::size_t i = written.earlier.size(); i-- > first;) {
    const OpenedKernel* const kernel = kernel_named(sources.kernels, written.earlier[i]);
    if (kernel == nullptr) continue;
    one.choices = {{"kernel", kernel->name}};
    const std::optional<OtherKernelGuess> other = tried(one);
    if (!other) continue;
    const auto shared =
        std::ranges::find_if(other->written, [&](const std::string& name) { return readers.contains(name); });
    if (shared == other->written.end()) continue;
    offered.insert(
        offered.begin(),
        {"", kernel->demangled,
         fmt::format("{} launches it first, and it writes '{}', which {} reads: choose it to begin "
                     "with what it leaves",
                     written.host_function.empty() ? "the host code" : written.host_function, *shared,
                     readers.at(*shared))});
    for (const std::string& buffer : other->read) readers.emplace(buffer, plain_kernel_name(other->name));
  }
  for (std::size_t i = 0; i < offered.size(); ++i) offered[i].what = earlier_kernel_choice(i);
  return offered;
}

}  // namespace tilescope
