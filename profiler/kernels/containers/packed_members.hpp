#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

namespace tilescope {

/// [B] The most that the members of an archive that are looked at may take unpacked, together.
inline constexpr std::uint64_t max_member_bytes = std::uint64_t{512} << 20U;
inline constexpr std::size_t max_members = 100'000;

/// Unpacks members of a zip file or a static library one after the other, each into a file that is removed behind it.
/// `wanted` is asked with the member's name, `take` gets the name and that file. Members that are encrypted are left
/// out. Throws CodeNotFound for a damaged archive and beyond the limits, and SearchCancelled.
void for_each_member(
    const std::filesystem::path& archive, const std::function<bool(const std::string& name)>& wanted,
    const std::function<void(const std::string& name, const std::filesystem::path& file)>& take,
    const std::function<bool()>& cancelled, std::uint64_t max_bytes = max_member_bytes);

}  // namespace tilescope
