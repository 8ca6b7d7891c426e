#include "profiler/execution/sass/elf_file.hpp"

#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>

#include <algorithm>
#include <memory>
#include <set>

#include "profiler/execution/sass/cubin_error.hpp"

namespace tilescope::sass {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

std::uint8_t identity(const GElf_Ehdr& header, int index) {
  return header.e_ident[index];
}

void check_table(std::string_view what, std::uint64_t offset, std::uint64_t bytes, std::size_t file_bytes) {
  if (offset > file_bytes || bytes > file_bytes - offset)
    throw CubinError(
        fmt::format("the cubin is truncated: {} bytes of {} headers at byte {} of a file of {} bytes", bytes,
                    what, offset, file_bytes));
}

void check_header(const GElf_Ehdr& header, std::size_t file_bytes) {
  if (identity(header, EI_CLASS) != ELFCLASS64 || identity(header, EI_DATA) != ELFDATA2LSB)
    throw CubinError("the file is no cubin: it is not a 64-bit little-endian ELF file");
  if (header.e_machine != EM_CUDA)
    throw CubinError(fmt::format("the file is no cubin: it is an ELF file for machine {}, not for CUDA (190)",
                                 header.e_machine));
  if (header.e_type == ET_REL)
    throw CubinError("the file is a relocatable object, not a linked cubin: link it with nvlink first");
  if (header.e_type != ET_EXEC)
    throw CubinError(fmt::format("the file is no cubin: it has ELF type {}, not 2", header.e_type));
  if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0)
    throw CubinError("the cubin has no section headers of a known form");
  check_table("section", header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr), file_bytes);
  check_table("program", header.e_phoff, std::uint64_t{header.e_phnum} * header.e_phentsize, file_bytes);
}

}  // namespace

ElfFile::ElfFile(std::span<const char> file) : file_bytes_(file.size()) {
  read_sections(file);
  check_contents();
}

void ElfFile::read_sections(std::span<const char> file) {
  elf_version(EV_CURRENT);
  // libelf requires a writable image, but does not write to it without elf_update.
  std::vector<char> image(file.begin(), file.end());
  const ElfHandle elf(elf_memory(image.data(), image.size()), elf_end);
  GElf_Ehdr header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr)
    throw CubinError("the file is no cubin: it is not an ELF file");
  check_header(header, file.size());
  os_abi_ = identity(header, EI_OSABI);
  abi_version_ = identity(header, EI_ABIVERSION);
  flags_ = header.e_flags;
  std::size_t names = 0;
  if (elf_getshdrstrndx(elf.get(), &names) != 0) throw CubinError("the cubin's sections have no names");
  sections_.resize(header.e_shnum);
  for (std::size_t i = 1; i < sections_.size(); ++i) {
    GElf_Shdr from;
    if (gelf_getshdr(elf_getscn(elf.get(), i), &from) == nullptr)
      throw CubinError(fmt::format("section {} of the cubin has no header", i));
    const char* name = elf_strptr(elf.get(), names, from.sh_name);
    if (name == nullptr)
      throw CubinError(fmt::format("the name of section {} of the cubin cannot be read", i));
    ElfSection& section = sections_[i];
    section = {name, from.sh_type, from.sh_flags, from.sh_size, from.sh_addralign, from.sh_link, from.sh_info,
               {}};
    if (from.sh_type == SHT_NOBITS) continue;
    if (from.sh_offset > file.size() || from.sh_size > file.size() - from.sh_offset)
      throw CubinError(
          fmt::format("section {} lies outside of the cubin: {} bytes at byte {} of a file of {} bytes",
                      section.name, from.sh_size, from.sh_offset, file.size()));
    section.contents = file.subspan(from.sh_offset, from.sh_size);
  }
}

/// Sections of a damaged file may overlap without end: what is read of them must not be more than the file has.
void ElfFile::check_contents() const {
  std::uint64_t contents = 0, names = 0;
  std::set<std::string_view> known;
  for (const ElfSection& section : sections_) {
    contents += section.contents.size();
    names += section.name.size();
    if (contents > file_bytes_ || names > file_bytes_)
      throw CubinError(fmt::format("sections of the cubin overlap, {} with others", section.name));
    if (!section.name.empty() && !known.insert(section.name).second)
      throw CubinError(fmt::format("the cubin has two sections {}", section.name));
  }
}

const ElfSection* ElfFile::find(std::string_view name) const {
  const auto found = std::find_if(sections_.begin(), sections_.end(),
                                  [&](const ElfSection& one) { return one.name == name; });
  return found == sections_.end() ? nullptr : &*found;
}

std::string ElfFile::text(const ElfSection& section, std::uint64_t offset) const {
  const std::span<const char> all = section.contents;
  const auto end = offset < all.size()
                       ? std::find(all.begin() + static_cast<std::ptrdiff_t>(offset), all.end(), '\0')
                       : all.end();
  if (end == all.end())
    throw CubinError(fmt::format("section {} has no text at byte {}", section.name, offset));
  return {all.begin() + static_cast<std::ptrdiff_t>(offset), end};
}

void require_whole_records(const ElfSection& section, std::size_t record_bytes) {
  if (section.contents.size() % record_bytes != 0)
    throw CubinError(fmt::format("section {} has {} bytes, which is no multiple of {}", section.name,
                                 section.contents.size(), record_bytes));
}

}  // namespace tilescope::sass
