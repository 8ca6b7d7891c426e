#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

/// The sections of an ELF file, each checked to lie inside it. Throws CubinError for a file with errors.
namespace tilescope::sass {

struct ElfSection {
  std::string name;
  /// SHT_PROGBITS, ...
  std::uint32_t type = 0;
  std::uint64_t flags = 0;
  /// [B] in memory
  std::uint64_t bytes = 0;
  /// [B]
  std::uint64_t alignment = 1;
  std::uint32_t link = 0;
  std::uint32_t info = 0;
  /// In the file; empty for a section of zeros (SHT_NOBITS).
  std::span<const char> contents;
};

/// Refers to the bytes that it was made from.
class ElfFile {
 public:
  explicit ElfFile(std::span<const char> file);

  std::uint8_t os_abi() const { return os_abi_; }
  std::uint8_t abi_version() const { return abi_version_; }
  std::uint32_t flags() const { return flags_; }

  /// By their number in the file: section 0 is empty.
  const std::vector<ElfSection>& sections() const { return sections_; }
  /// nullptr for one that is not there.
  const ElfSection* find(std::string_view name) const;
  /// The text at this place of a section of texts.
  std::string text(const ElfSection& section, std::uint64_t offset) const;

 private:
  void read_sections(std::span<const char> file);
  void check_contents() const;

  std::size_t file_bytes_ = 0;
  std::uint8_t os_abi_ = 0;
  std::uint8_t abi_version_ = 0;
  std::uint32_t flags_ = 0;
  std::vector<ElfSection> sections_;
};

/// Throws CubinError for a section with a part of a record at its end.
void require_whole_records(const ElfSection& section, std::size_t record_bytes);

/// The records of a section of type Record. Throws CubinError for a part of one at the end.
template <class Record>
std::vector<Record> records(const ElfSection& section) {
  static_assert(std::is_trivially_copyable_v<Record>);
  require_whole_records(section, sizeof(Record));
  std::vector<Record> all(section.contents.size() / sizeof(Record));
  if (!all.empty()) std::memcpy(all.data(), section.contents.data(), section.contents.size());
  return all;
}

}  // namespace tilescope::sass
