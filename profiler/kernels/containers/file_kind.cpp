#include "profiler/kernels/containers/file_kind.hpp"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "profiler/kernels/containers/cut_file.hpp"

namespace tilescope {
namespace {

constexpr std::string_view fat_binary_magic = "\x50\xed\x55\xba";
constexpr std::string_view archive_magic = "!<arch>\n";
constexpr std::string_view thin_archive_magic = "!<thin>\n";
constexpr std::string_view zip_magic = "PK\x03\x04";
constexpr std::string_view empty_zip_magic = "PK\x05\x06";
constexpr std::string_view bitcode_magic = "BC\xc0\xde";

FileKind kind_of_elf(std::string_view bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return FileKind::unknown;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_machine == EM_CUDA)
    return header.e_type == ET_REL ? FileKind::relocatable_cubin : FileKind::cubin;
  return header.e_type == ET_REL ? FileKind::host_object : FileKind::host_program;
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

FileKind kind_of_text(std::string_view text) {
  if (first_word(text).starts_with(".version")) return FileKind::ptx;
  return text.find("__global__") != std::string_view::npos ? FileKind::cuda : FileKind::text;
}

}  // namespace

FileKind kind_of(std::string_view bytes) {
  constexpr std::size_t looked_at = 1024;
  if (bytes.empty()) return FileKind::empty;
  if (bytes.starts_with(ELFMAG)) return kind_of_elf(bytes);
  if (bytes.starts_with(fat_binary_magic)) return FileKind::fat_binary;
  if (bytes.starts_with(archive_magic) || bytes.starts_with(thin_archive_magic))
    return FileKind::static_library;
  if (bytes.starts_with(zip_magic) || bytes.starts_with(empty_zip_magic)) return FileKind::zip;
  if (bytes.starts_with(bitcode_magic)) return FileKind::llvm;
  const bool is_text = bytes.substr(0, looked_at).find('\0') == std::string_view::npos;
  return is_text ? kind_of_text(bytes) : FileKind::unknown;
}

FileKind kind_of_file(const std::filesystem::path& file) {
  return kind_of(CutFile(file).read(0, kind_bytes));
}

std::string name_of(FileKind kind) {
  switch (kind) {
    case FileKind::empty:
      return "an empty file";
    case FileKind::cubin:
      return "a cubin";
    case FileKind::relocatable_cubin:
      return "a relocatable cubin";
    case FileKind::ptx:
      return "a PTX file";
    case FileKind::cuda:
      return "CUDA C++";
    case FileKind::fat_binary:
      return "a fat binary";
    case FileKind::host_program:
      return "a program or a shared library";
    case FileKind::host_object:
      return "an object file";
    case FileKind::static_library:
      return "a static library";
    case FileKind::zip:
      return "a zip file";
    case FileKind::text:
      return "a text without a kernel";
    case FileKind::llvm:
      return "LLVM bitcode";
    case FileKind::unknown:
      break;
  }
  return "a file of an unknown format";
}

}  // namespace tilescope
