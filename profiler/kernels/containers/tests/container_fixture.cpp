#include "profiler/kernels/containers/tests/container_fixture.hpp"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <iterator>

#include "profiler/installation.hpp"
#include "profiler/kernels/compile/nvrtc.hpp"
#include "profiler/process/child_program.hpp"

namespace tilescope::test_support {
namespace {

namespace fs = std::filesystem;

CompilerOutput compiled(const std::string& name, const std::string& architecture) {
  static const Nvrtc nvrtc = Nvrtc::open({{}, find_installation().dependencies, std::nullopt});
  return nvrtc.compile("k.cu", "extern \"C\" __global__ void " + name + "(float* x) { x[threadIdx.x] *= 2; }",
                       {}, {"--gpu-architecture=" + architecture});
}

template <class Number>
void append(std::string& bytes, Number number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void pad(std::string& bytes) {
  bytes.resize((bytes.size() + 7) / 8 * 8);
}

// A header of 64 bytes, the name of the source and the code.
std::string image_of(const FatImage& image) {
  std::string name = image.source.empty() ? "" : image.source + '\0';
  pad(name);
  std::string contents = image.contents;
  if (image.form == FoundCode::Form::ptx) contents += '\0';
  pad(contents);
  std::string bytes;
  append<std::uint16_t>(bytes, image.form == FoundCode::Form::cubin ? 2 : 1);
  append<std::uint16_t>(bytes, 0x101);
  append<std::uint32_t>(bytes, static_cast<std::uint32_t>(64 + name.size()));
  append<std::uint64_t>(bytes, contents.size());
  append<std::uint64_t>(bytes, 0);
  append<std::uint32_t>(bytes, 0x00010008);
  append<std::uint32_t>(bytes, image.architecture);
  append<std::uint32_t>(bytes, name.empty() ? 0 : 64);
  append<std::uint32_t>(bytes, static_cast<std::uint32_t>(image.source.size()));
  append<std::uint64_t>(bytes, 0x11);
  bytes.resize(64);
  return bytes + name + contents;
}

}  // namespace

std::string cubin_of(const std::string& name, const std::string& architecture) {
  const CompilerOutput output = compiled(name, architecture);
  return {output.cubin.begin(), output.cubin.end()};
}

std::string ptx_of(const std::string& name, const std::string& architecture) {
  return compiled(name, architecture).ptx;
}

std::string fat_binary_of(const std::vector<FatImage>& images) {
  std::string body, bytes;
  for (const FatImage& image : images) body += image_of(image);
  append<std::uint32_t>(bytes, 0xBA55ED50);
  append<std::uint16_t>(bytes, 1);
  append<std::uint16_t>(bytes, 16);
  append<std::uint64_t>(bytes, body.size());
  return bytes + body;
}

void write_archive(const fs::path& file, ArchiveForm form, const Members& members) {
  archive* writer = archive_write_new();
  if (form == ArchiveForm::zip) {
    archive_write_set_format_zip(writer);
  } else {
    archive_write_set_format_ar_svr4(writer);
  }
  archive_write_open_filename(writer, file.c_str());
  for (const auto& [name, contents] : members) {
    archive_entry* entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_size(entry, static_cast<la_int64_t>(contents.size()));
    archive_entry_set_filetype(entry, AE_IFREG);
    archive_entry_set_perm(entry, 0644);
    archive_write_header(writer, entry);
    archive_write_data(writer, contents.data(), contents.size());
    archive_entry_free(entry);
  }
  archive_write_close(writer);
  archive_write_free(writer);
}

void write_file(const fs::path& file, const std::string& contents) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << contents;
}

std::string contents_of_file(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

std::string host_file_with(const std::string& bytes, const std::string& section, bool is_linked) {
  const TemporaryFolder folder;
  write_file(folder.path() / "code.bin", bytes);
  write_file(folder.path() / "code.s",
             fmt::format(".section {},\"a\"\n.balign 8\n.incbin \"code.bin\"\n", section));
  ProgramCall call{{"/usr/bin/env", "g++", is_linked ? "-shared" : "-c", "code.s", "-o", "out"}};
  call.folder = folder.path();
  return run_program(call).succeeded() ? contents_of_file(folder.path() / "out") : "";
}

ContainerTest::ContainerTest() : tools{{{}, find_installation().dependencies, environment("PATH")}} {}

void ContainerTest::needs_cuobjdump() const {
  try {
    Cuobjdump::find(tools.cuobjdump);
  } catch (const CuobjdumpUnavailable& unavailable) {
    GTEST_SKIP() << unavailable.what();
  }
}

fs::path ContainerTest::file(const std::string& name, const std::string& contents) const {
  write_file(folder.path() / name, contents);
  return folder.path() / name;
}

std::string ContainerTest::refused(const fs::path& path) const {
  try {
    return fmt::format("found {}", summary(find_code(path, tools).codes));
  } catch (const CodeNotFound& reason) {
    return reason.what();
  }
}

std::vector<std::string> summary(const std::vector<FoundCode>& codes) {
  std::vector<std::string> texts;
  texts.reserve(codes.size());
  for (const FoundCode& code : codes)
    texts.push_back(
        fmt::format("{} {}: {}", to_string(code.form), code.architecture, fmt::join(code.kernels, " ")));
  return texts;
}

}  // namespace tilescope::test_support
