#include "profiler/execution/memory/global_sites.hpp"

#include <algorithm>
#include <limits>

#include "profiler/execution/memory/value_source.hpp"

namespace tilescope {
namespace {

using simt::Access;

constexpr std::uint16_t no_number = std::numeric_limits<std::uint16_t>::max();

}  // namespace

GlobalSites::GlobalSites(const simt::Program& program)
    : program_(program), numbers_(program.code.size(), no_number) {}

std::uint16_t GlobalSites::number_of(const simt::Instruction& instruction, Access access) {
  std::uint16_t& number = numbers_[static_cast<std::size_t>(&instruction - program_.code.data())];
  if (number == no_number) {
    if (sites_.size() < no_number) {
      sites_.push_back(site_of(instruction, access));
      codes_.push_back(static_cast<std::uint32_t>(&instruction - program_.code.data()));
      stores_loaded_.emplace_back();
    }
    number = static_cast<std::uint16_t>(sites_.size() - 1);
  }
  return number;
}

GlobalSite GlobalSites::site_of(const simt::Instruction& instruction, Access access) const {
  const simt::DataFacts& data = program_.origins[instruction.origin].data;
  GlobalSite site;
  site.origin = instruction.origin;
  site.is_atomic = is_atomic(access);
  site.is_strong = site.is_atomic || data.is_strong;
  site.releases = data.releases;
  site.has_value = access == Access::store && data.use == simt::DataUse::store;
  return site;
}

bool GlobalSites::stores_loaded(std::uint16_t number) {
  std::optional<bool>& known = stores_loaded_[number];
  if (!known) known = sites_[number].has_value && stores_loaded_value(program_, codes_[number]);
  return *known;
}

bool GlobalSites::has_messages(const simt::Program& program) {
  return std::ranges::any_of(program.origins, [](const simt::Origin& origin) {
    return origin.data.fence != simt::FenceScope::none || origin.data.releases;
  });
}

bool GlobalSites::orders_blocks(const simt::Program& program) {
  if (program.has_global_atomics) return true;
  return std::ranges::any_of(program.origins, [](const simt::Origin& origin) {
    const simt::DataFacts& data = origin.data;
    const bool is_access = data.use == simt::DataUse::load || data.use == simt::DataUse::store;
    return is_access && data.is_strong &&
           (data.space == simt::Space::global || data.space == simt::Space::generic);
  });
}

}  // namespace tilescope
