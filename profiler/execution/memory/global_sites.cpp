#include "profiler/execution/memory/global_sites.hpp"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <string_view>

#include "profiler/execution/memory/site_text.hpp"
#include "profiler/execution/memory/value_source.hpp"

namespace tilescope {
namespace {

using simt::Access;

constexpr std::uint16_t no_number = std::numeric_limits<std::uint16_t>::max();

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(
      words, [&](std::string_view word) { return text.find(word) != std::string_view::npos; });
}

bool is_load_or_store(std::string_view opcode) {
  return opcode == "ld" || opcode == "st" || opcode == "LD" || opcode == "ST" || opcode == "LDG" ||
         opcode == "STG";
}

bool is_strong(std::string_view mnemonic) {
  return has_any(mnemonic, {".volatile", ".relaxed", ".acquire", ".release", ".mmio", ".STRONG", ".MMIO"});
}

}  // namespace

GlobalSites::GlobalSites(const simt::Program& program)
    : program_(program), numbers_(program.code.size(), no_number) {}

std::uint16_t GlobalSites::number_of(const simt::Instruction& instruction, Access access) {
  std::uint16_t& number = numbers_[static_cast<std::size_t>(&instruction - program_.code.data())];
  if (number == no_number) {
    if (sites_.size() < no_number) sites_.push_back(site_of(instruction, access));
    number = static_cast<std::uint16_t>(sites_.size() - 1);
  }
  return number;
}

GlobalSite GlobalSites::site_of(const simt::Instruction& instruction, Access access) const {
  const std::string_view text = program_.origins[instruction.origin].text;
  const std::string_view mnemonic = mnemonic_of(text), opcode = opcode_of(text);
  GlobalSite site;
  site.origin = instruction.origin;
  site.is_atomic = is_atomic(access);
  site.is_strong = site.is_atomic || is_strong(mnemonic);
  site.releases = has_any(mnemonic, {".release", ".acq_rel"});
  site.has_value = access == Access::store && (opcode == "st" || opcode == "STG" || opcode == "ST");
  if (site.has_value)
    site.stores_loaded =
        stores_loaded_value(program_, static_cast<std::size_t>(&instruction - program_.code.data()));
  return site;
}

bool GlobalSites::has_messages(const simt::Program& program) {
  return std::ranges::any_of(program.origins, [](const simt::Origin& origin) {
    return fence_scope_of(origin) != FenceScope::none ||
           has_any(mnemonic_of(origin.text), {".release", ".acq_rel"});
  });
}

bool GlobalSites::orders_blocks(const simt::Program& program) {
  if (program.has_global_atomics) return true;
  return std::ranges::any_of(program.origins, [](const simt::Origin& origin) {
    const std::string_view mnemonic = mnemonic_of(origin.text);
    return is_load_or_store(opcode_of(origin.text)) && is_strong(mnemonic) &&
           !has_any(mnemonic, {".shared", ".local", ".param"});
  });
}

FenceScope fence_scope_of(const simt::Origin& origin) {
  const std::string_view opcode = opcode_of(origin.text);
  if (opcode != "membar" && opcode != "fence" && opcode != "MEMBAR") return FenceScope::none;
  const std::string_view mnemonic = mnemonic_of(origin.text);
  if (has_any(mnemonic, {".proxy", ".mbarrier_init"})) return FenceScope::none;
  return has_any(mnemonic, {".cta", ".CTA", ".cluster", ".SM"}) ? FenceScope::block : FenceScope::grid;
}

}  // namespace tilescope
