#include "profiler/measure/files/input_file.hpp"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace tilescope {
namespace {

constexpr std::string_view fatbin_magic = "\x50\xed\x55\xba";
constexpr std::string_view archive_magic = "!<arch>\n";
constexpr const char* how_to_get_cubins =
    "take the cubins out of it (`cuobjdump -xelf all FILE`), or compile to a cubin (`nvcc -cubin "
    "-arch=sm_89`)";

[[noreturn]] void holds_cubins(const char* what) {
  throw UnusableFile(fmt::format("it is {}, which may hold several cubins: {}", what, how_to_get_cubins));
}

void check_elf(std::string_view contents) {
  Elf64_Ehdr header;
  if (contents.size() < sizeof header) throw UnusableFile("it is an ELF file that ends within its header");
  std::memcpy(&header, contents.data(), sizeof header);
  if (header.e_machine != EM_CUDA) holds_cubins("a program, a library or an object file of the host");
  if (header.e_type != ET_REL) return;
  throw UnusableFile(
      "it is a relocatable object (-rdc=true, -dc), in which calls have no addresses yet: link it "
      "(`nvcc -cubin -dlink -arch=sm_89 FILE -o linked.cubin`), or compile without -rdc=true");
}

// Behind white space and comments.
std::string_view first_word(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) return text;
    const std::size_t at = text.find(end);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + end.size());
  }
}

bool is_cuda(std::string_view text) {
  return !first_word(text).starts_with(".version") && text.find("__global__") != std::string_view::npos;
}

}  // namespace

InputFile input_file_of(std::string_view contents) {
  constexpr std::size_t looked_at = 16;
  if (contents.starts_with(ELFMAG)) {
    check_elf(contents);
    return InputFile::cubin;
  }
  if (contents.starts_with(fatbin_magic)) holds_cubins("a fatbin");
  if (contents.starts_with(archive_magic)) holds_cubins("a static library");
  if (contents.empty()) throw UnusableFile("it is empty");
  if (contents.substr(0, looked_at).find('\0') != std::string_view::npos)
    throw UnusableFile("it is neither PTX nor a cubin");
  return is_cuda(contents) ? InputFile::cuda : InputFile::ptx;
}

}  // namespace tilescope
