#include "profiler/kernels/containers/fat_binaries.hpp"

#include <fmt/format.h>
#include <gelf.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

#include "profiler/kernels/containers/found_code.hpp"

namespace tilescope {
namespace {

using ElfHandle = std::unique_ptr<Elf, int (*)(Elf*)>;

constexpr std::string_view magic = "\x50\xed\x55\xba";
// Magic, version and size of this header, 2 bytes each, and 8 bytes for the size of what follows.
constexpr std::size_t header_bytes = 16;

std::uint64_t bytes_of_fat_binary(std::string_view header) {
  std::uint16_t head = 0;
  std::uint64_t body = 0;
  std::memcpy(&head, header.data() + 6, sizeof head);
  std::memcpy(&body, header.data() + 8, sizeof body);
  return body > max_code_bytes ? max_code_bytes + 1 : body + std::max<std::uint64_t>(head, header_bytes);
}

[[noreturn]] void damaged() {
  throw CodeNotFound(
      std::string("it is an ELF file that cannot be read, as bytes of it are wrong or missing: ") +
      elf_errmsg(-1));
}

// libelf takes a file that ends before its section table for one without sections.
void check_is_whole(Elf* elf, const CutFile& file) {
  GElf_Ehdr header;
  std::size_t sections = 0;
  if (gelf_getehdr(elf, &header) == nullptr) damaged();
  if (header.e_shoff == 0) return;
  if (header.e_shoff >= file.bytes() || elf_getshdrnum(elf, &sections) != 0 || sections == 0)
    throw CodeNotFound("it is an ELF file whose end is missing: copy it again");
}

// Sections and the file's end are checked here: libelf takes some that lie behind the end as empty.
std::string contents_of(const CutFile& file, const GElf_Shdr& header) {
  if (header.sh_type == SHT_NOBITS || header.sh_size == 0) return "";
  if (header.sh_size > max_code_bytes)
    throw CodeNotFound(fmt::format(
        "it has {} MB of device code, and the limit is {} MB: take out the cubin of the kernel with "
        "`cuobjdump -xelf NAME FILE`",
        header.sh_size >> 20U, max_code_bytes >> 20U));
  std::string contents = file.read(header.sh_offset, header.sh_size);
  if (contents.size() < header.sh_size)
    throw CodeNotFound("it is an ELF file whose end is missing: copy it again");
  return contents;
}

}  // namespace

FatBinaries split_fat_binaries(std::string_view bytes) {
  FatBinaries found;
  // Zeros may stand between two of them, up to a multiple of 8.
  for (std::size_t at = bytes.find(magic); at != std::string_view::npos; at = bytes.find(magic, at)) {
    const std::string_view rest = bytes.substr(at);
    if (rest.size() < header_bytes || bytes_of_fat_binary(rest) > rest.size()) {
      found.is_cut = true;
      break;
    }
    const auto length = static_cast<std::size_t>(bytes_of_fat_binary(rest));
    found.linked.emplace_back(rest.substr(0, length));
    at += length;
  }
  return found;
}

FatBinaries fat_binaries_of_host(const CutFile& file) {
  elf_version(EV_CURRENT);
  const ElfHandle elf(elf_begin(file.descriptor(), ELF_C_READ, nullptr), elf_end);
  std::size_t names = 0;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF) damaged();
  check_is_whole(elf.get(), file);
  if (elf_getshdrstrndx(elf.get(), &names) != 0) damaged();
  FatBinaries found;
  for (Elf_Scn* section = elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = elf_nextscn(elf.get(), section)) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) damaged();
    const char* name = elf_strptr(elf.get(), names, header.sh_name);
    if (name == nullptr) continue;
    if (std::strcmp(name, "__nv_relfatbin") == 0) found.has_relocatable = true;
    if (std::strcmp(name, ".nv_fatbin") != 0) continue;
    FatBinaries more = split_fat_binaries(contents_of(file, header));
    found.is_cut |= more.is_cut;
    for (std::string& one : more.linked) found.linked.push_back(std::move(one));
  }
  return found;
}

}  // namespace tilescope
