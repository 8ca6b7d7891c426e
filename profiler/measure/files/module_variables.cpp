#include "profiler/measure/files/module_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "profiler/measure/files/symbol_names.hpp"

namespace tilescope {
namespace {

constexpr std::size_t most_named = 5;

// The bytes of a variable, wherever the program keeps them.
struct Storage {
  std::string name;
  std::span<std::byte> bytes;
  // "c[0x3][0x10]" may use it; none where the code has its name.
  const ConstantVariable* constant = nullptr;
};

std::vector<Storage> storage_of(const ModuleVariables& module) {
  std::vector<Storage> all;
  all.reserve(module.program.variables.size() + module.constants.size());
  for (simt::GlobalVariable& variable : module.program.variables)
    all.push_back({variable.name, std::span(variable.initial), nullptr});
  for (const ConstantVariable& variable : module.constants) {
    const std::span bank(module.program.constant_banks[variable.bank]);
    all.push_back({variable.name, bank.subspan(variable.offset, variable.bytes), &variable});
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<Storage>& all) {
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const Storage& storage : all) names.push_back(storage.name);
  return names;
}

const Storage& find(const std::vector<Storage>& all, const std::string& wanted) {
  const std::vector<std::string> names = names_of(all);
  const std::vector<std::string> found = symbols_named(names, wanted);
  if (found.size() > 1) {
    throw LaunchFileError(
        fmt::format("variables: \"{}\" is a part of the names {}", wanted, symbol_list(found)));
  }
  if (found.empty()) {
    throw LaunchFileError(fmt::format("variables: the file has no variable \"{}\"; it has {}", wanted,
                                      names.empty() ? "none" : symbol_list(names)));
  }
  return all[static_cast<std::size_t>(std::ranges::find(names, found.front()) - names.begin())];
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !is_word(text[at - 1])) && (end == text.size() || !is_word(text[end]))) return true;
  }
  return false;
}

// "0x10" of "0x10", of "R2+0x10" and of "R2+UR4+0x10": 0 where there is no number.
std::uint64_t offset_of(std::string_view index) {
  const std::size_t number = index.find("0x");
  return number == std::string_view::npos ? 0
                                          : std::strtoull(std::string(index).c_str() + number, nullptr, 16);
}

// Whether an operand such as "c[0x3][0x10]" or "c[0x3][R2+0x10]" may read a part of the variable. With an index, the
// number is near the variable's place, unless the register holds that.
bool reads_constant(std::string_view text, const ConstantVariable& variable) {
  const std::string bank = fmt::format("c[{:#x}][", variable.bank);
  for (std::size_t at = text.find(bank); at != std::string_view::npos; at = text.find(bank, at + 1)) {
    const std::string_view from = text.substr(at + bank.size());
    const std::string_view index = from.substr(0, from.find(']'));
    const bool is_indexed = !index.starts_with("0x");
    if (is_indexed && (variable.may_be_in_register || index.find("-0x") != std::string_view::npos))
      return true;
    const std::uint64_t offset = offset_of(index);
    // [B] Widest read; how far below an array its index may be counted from, as in taps[i - 1].
    constexpr std::uint64_t widest_read = 16, most_below = 64;
    const std::uint64_t reach = is_indexed ? most_below : widest_read;
    if (offset + reach > variable.offset && offset < variable.offset + variable.bytes) return true;
  }
  return false;
}

bool is_used(const simt::Program& program, const Storage& storage) {
  return std::ranges::any_of(program.origins, [&](const simt::Origin& origin) {
    return storage.constant != nullptr ? reads_constant(origin.text, *storage.constant)
                                       : has_word(origin.text, storage.name);
  });
}

bool is_zero(std::span<const std::byte> bytes) {
  return std::ranges::all_of(bytes, [](std::byte value) { return value == std::byte{0}; });
}

}  // namespace

void set_variables(const LaunchFile& file,
                   const std::function<std::vector<std::byte>(const LaunchBytes&)>& placed,
                   const ModuleVariables& module) {
  if (file.variables.empty()) return;
  const std::vector<Storage> all = storage_of(module);
  for (const LaunchVariable& given : file.variables) {
    const Storage& storage = find(all, given.name);
    const std::vector<std::byte> contents = placed(given.bytes);
    if (contents.size() > storage.bytes.size()) {
      throw LaunchFileError(fmt::format("variables.{}: {} B given; the variable has {} B", given.name,
                                        contents.size(), storage.bytes.size()));
    }
    std::ranges::copy(contents, storage.bytes.begin());
  }
}

std::string unset_variables_note(const ModuleVariables& module, const LaunchFile& file) {
  const std::vector<Storage> all = storage_of(module);
  std::set<std::string> given;
  for (const LaunchVariable& variable : file.variables) given.insert(find(all, variable.name).name);
  std::vector<std::string> unset;
  for (const Storage& storage : all) {
    if (!given.contains(storage.name) && is_zero(storage.bytes) && is_used(module.program, storage))
      unset.push_back(demangled_symbol(storage.name));
  }
  if (unset.empty()) return "";
  std::string names;
  for (std::size_t i = 0; i < std::min(unset.size(), most_named); ++i)
    names += fmt::format("{}'{}'", i == 0 ? "" : ", ", unset[i]);
  if (unset.size() > most_named) names += fmt::format(" and {} more", unset.size() - most_named);
  const bool is_one = unset.size() == 1;
  return fmt::format(
      "{} {} zero when the kernel starts. Where the host sets {}, give the values under \"variables\" in the "
      "launch file.",
      names, is_one ? "is" : "are", is_one ? "it" : "them");
}

}  // namespace tilescope
