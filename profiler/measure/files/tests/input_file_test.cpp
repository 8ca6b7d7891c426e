#include "profiler/measure/files/input_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

namespace tilescope {
namespace {

std::string elf(Elf64_Half machine, Elf64_Half type) {
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_machine = machine;
  header.e_type = type;
  return {reinterpret_cast<const char*>(&header), sizeof header};
}

std::string why_unusable(const std::string& contents) {
  try {
    input_file_of(contents);
    return "";
  } catch (const UnusableFile& error) {
    return error.what();
  }
}

void expect_says(const std::string& contents, const std::string& words) {
  const std::string why = why_unusable(contents);
  EXPECT_NE(why.find(words), std::string::npos) << "'" << why << "'";
}

TEST(InputFile, IsKnownByItsContents) {
  EXPECT_EQ(input_file_of(".version 8.0"), InputFile::ptx);
  EXPECT_EQ(input_file_of("\x7f"), InputFile::ptx) << "the parser then says where it is wrong";
  EXPECT_EQ(input_file_of(elf(EM_CUDA, ET_EXEC)), InputFile::cubin);
}

TEST(InputFile, FilesThatHoldCubinsSayHowToGetThem) {
  for (const std::string& file : {elf(EM_X86_64, ET_DYN), elf(EM_X86_64, ET_REL), elf(EM_AARCH64, ET_EXEC),
                                  std::string("\x50\xed\x55\xba more"), std::string("!<arch>\nmore")}) {
    expect_says(file, "cuobjdump -xelf all");
    expect_says(file, "nvcc -cubin");
  }
  expect_says(elf(EM_X86_64, ET_DYN), "a program, a library or an object file of the host");
  expect_says("\x50\xed\x55\xba", "a fatbin");
  expect_says("!<arch>\n", "a static library");
}

TEST(InputFile, AnObjectMustBeLinked) {
  expect_says(elf(EM_CUDA, ET_REL), "-rdc=true");
  expect_says(elf(EM_CUDA, ET_REL), "link it");
}

TEST(InputFile, OtherFiles) {
  expect_says("", "empty");
  expect_says(elf(EM_CUDA, ET_EXEC).substr(0, 30), "ends within its header");
  expect_says(std::string("BC\xc0\xde\0\0", 6), "neither PTX nor a cubin");
}

}  // namespace
}  // namespace tilescope
