#include "profiler/kernels/compile/hash.hpp"

#include <gelf.h>
#include <libelf.h>
#include <sha2.h>

#include <memory>
#include <stdexcept>

namespace tilescope {

std::string sha256(std::string_view bytes) {
  char digits[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), digits);
  return digits;
}

std::string sass_sha256(const std::vector<char>& cubin, const std::string& entry) {
  elf_version(EV_CURRENT);
  // libelf requires a writable image, but does not write to it without elf_update.
  std::vector<char> image = cubin;
  const std::unique_ptr<Elf, int (*)(Elf*)> elf(elf_memory(image.data(), image.size()), elf_end);
  std::size_t names = 0;
  if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0) {
    throw std::runtime_error("the compiled binary is not an ELF file: " + std::string(elf_errmsg(-1)));
  }
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = elf_strptr(elf.get(), names, header.sh_name);
    if (name == nullptr || name != ".text." + entry) continue;
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr) break;
    return sha256({static_cast<const char*>(data->d_buf), data->d_size});
  }
  throw std::runtime_error("the compiled binary has no machine code for " + entry);
}

}  // namespace tilescope
