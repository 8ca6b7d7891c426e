#include "profiler/measure/open/cache_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "profiler/kernels/containers/compile_cache.hpp"
#include "profiler/kernels/containers/nearest_code.hpp"

namespace tilescope {
namespace {

// The entries whose code the device can run, by kernel, the oldest first, as the cache has them in reverse.
std::vector<CachedKernel> numbered(const FoundIn& found, const std::string& architecture) {
  std::map<std::string, std::int64_t> counts;
  std::map<std::size_t, std::vector<FoundCode>> forms;
  for (const FoundCode& code : found.codes)
    if (code.entry) forms[*code.entry].push_back({code.form, code.architecture, "", ""});
  std::vector<CachedKernel> kernels;
  for (std::size_t i = found.triton.size(); i-- > 0;) {
    const TritonEntry& entry = found.triton[i];
    const std::int64_t number = ++counts[entry.name];
    if (nearest(forms[i], architecture).code == nullptr) continue;
    const auto known = std::ranges::find(kernels, entry.name, &CachedKernel::name);
    CachedKernel& kernel =
        known == kernels.end() ? kernels.emplace_back(CachedKernel{entry.name, {}}) : *known;
    kernel.entries.push_back({number, i, entry});
  }
  return kernels;
}

std::optional<std::int64_t> value_of(const NumberedEntry& entry, const std::string& name) {
  if (name == cache_entry_choice) return entry.number;
  const auto constant = entry.entry.constants.find(name);
  if (constant == entry.entry.constants.end()) return std::nullopt;
  return constant->second.value;
}

bool has_value(const NumberedEntry& entry, const std::string& name, const std::string& text) {
  const auto value = value_of(entry, name);
  return value && std::to_string(*value) == text;
}

// Names that any entry has a value for, in the order in which they are offered.
std::vector<std::string> names_of(const CachedKernel& kernel) {
  std::vector<std::string> names = {cache_entry_choice, "num_warps", "num_stages"};
  std::set<std::string> others;
  for (const NumberedEntry& entry : kernel.entries)
    for (const auto& [name, constant] : entry.entry.constants)
      if (std::ranges::find(names, name) == names.end()) others.insert(name);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

void take_chosen(const std::map<std::string, std::string>& chosen, CachedKernel& kernel) {
  std::vector<std::pair<std::string, std::string>> asked;
  for (const std::string& name : names_of(kernel))
    if (const auto choice = chosen.find(name); choice != chosen.end()) asked.emplace_back(*choice);
  kernel.taken = kernel.entries.size() - 1;
  for (std::size_t i = kernel.entries.size(); i-- > 0;) {
    const bool fits = std::ranges::all_of(
        asked, [&](const auto& one) { return has_value(kernel.entries[i], one.first, one.second); });
    if (!fits) continue;
    kernel.taken = i;
    return;
  }
  for (const auto& [name, value] : asked)
    kernel.missing += fmt::format("{}{} {}", kernel.missing.empty() ? "" : " with ", name, value);
}

std::vector<std::int64_t> values_of(const CachedKernel& kernel, const std::string& name) {
  std::set<std::int64_t> values;
  for (const NumberedEntry& entry : kernel.entries)
    if (const auto value = value_of(entry, name)) values.insert(*value);
  return {values.begin(), values.end()};
}

// HEAD_DIM, BLOCK_DMODEL ...
std::optional<double> head_dimension_of(const TritonEntry& entry) {
  for (const char* const name :
       {"HEAD_DIM", "BLOCK_DMODEL", "BLOCK_HEADDIM", "HEAD_SIZE", "BLOCK_D", "D_HEAD"})
    if (const auto found = entry.constants.find(name); found != entry.constants.end())
      return static_cast<double>(found->second.value);
  return std::nullopt;
}

std::string entry_text(const CachedKernel& kernel, const NumberedEntry& entry) {
  std::string text = std::to_string(entry.number) + " (";
  bool is_first = true;
  for (const std::string& name : names_of(kernel)) {
    const auto value = value_of(entry, name);
    if (!value || name == cache_entry_choice) continue;
    text += fmt::format("{}{} {}", is_first ? "" : ", ", name, *value);
    is_first = false;
  }
  return text + ")";
}

}  // namespace

std::vector<CachedKernel> cached_kernels(const FoundIn& found, const std::string& architecture,
                                         const std::map<std::string, std::string>& chosen) {
  std::vector<CachedKernel> kernels = numbered(found, architecture);
  for (CachedKernel& kernel : kernels) take_chosen(chosen, kernel);
  return kernels;
}

std::vector<CachedKernel> cached_kernel_of(const std::filesystem::path& file) {
  std::filesystem::path json = file;
  json.replace_extension(".json");
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(json, ignored)) return {};
  std::vector<std::string> ignored_notes;
  std::vector<TritonEntry> entries = read_triton_entries(file.parent_path(), {json}, ignored_notes);
  if (entries.size() != 1) return {};
  CachedKernel kernel{entries.front().name, {}};
  kernel.entries.push_back({1, 0, std::move(entries.front())});
  return {std::move(kernel)};
}

std::vector<OpenedConstant> constants_of(const CachedKernel& kernel) {
  std::vector<OpenedConstant> constants;
  if (kernel.entries.size() < 2) return constants;
  const NumberedEntry& taken = kernel.entries[kernel.taken];
  for (const std::string& name : names_of(kernel)) {
    std::vector<std::int64_t> values = values_of(kernel, name);
    const auto value = value_of(taken, name);
    if (values.size() < 2 || !value) continue;
    const auto constant = taken.entry.constants.find(name);
    const std::int64_t line = constant == taken.entry.constants.end() ? 0 : constant->second.line;
    constants.push_back({name, *value, line, std::move(values)});
  }
  return constants;
}

std::string why_no_entry(const CachedKernel& kernel) {
  constexpr std::size_t most_named = 12;
  if (kernel.missing.empty()) return "";
  std::string there;
  for (std::size_t i = 0; i < std::min(kernel.entries.size(), most_named); ++i)
    there += (i == 0 ? "" : ", ") + entry_text(kernel, kernel.entries[i]);
  if (kernel.entries.size() > most_named)
    there += fmt::format(" and {} more", kernel.entries.size() - most_named);
  return fmt::format("no entry of '{}' was compiled with {}; its entries are {}", kernel.name, kernel.missing,
                     there);
}

WrittenKernel written_kernel(const CachedKernel& kernel) {
  const TritonEntry& entry = kernel.entries[kernel.taken].entry;
  WrittenKernel written;
  if (!entry.parameters.empty()) {
    written.compiled_in = {entry.compiled_in, head_dimension_of(entry)};
    for (const TritonParameter& parameter : entry.parameters)
      written.parameters.push_back({parameter.type, parameter.name});
    for (int i = 0; i < entry.scratch_pointers; ++i)
      written.parameters.push_back({"void*", i == 0 ? "global_scratch" : "profile_scratch"});
  }
  if (entry.num_warps > 0)
    written.block = {
        SuggestedNumber{32.0 * entry.num_warps, fmt::format("Triton's num_warps is {}", entry.num_warps)},
        SuggestedNumber{1, ""}, SuggestedNumber{1, ""}};
  if (entry.shared)
    written.shared = SuggestedNumber{static_cast<double>(*entry.shared), "Triton's json says so"};
  return written;
}

}  // namespace tilescope
