#include "profiler/kernels/containers/code_collector.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

#include "base/regular_file.hpp"
#include "profiler/kernels/containers/cut_file.hpp"
#include "profiler/kernels/containers/device_elf.hpp"

namespace tilescope {
namespace {

std::string ordinal(int number) {
  const int last = number % 10;
  const bool is_teen = number % 100 / 10 == 1;
  const char* ending = is_teen || last == 0 || last > 3 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd";
  return fmt::format("{}{}", number, ending);
}

// The source's name, which cuobjdump has from the compiler: "attention" of "attention.sm_89.cubin". "" where the file
// has the name that this program gave: "code.1.sm_89.cubin".
std::string source_in(const std::string& name) {
  std::string source = name.substr(0, name.find(".sm_"));
  return source.starts_with("code.") || source == "code" || source == name ? "" : source;
}

}  // namespace

void CodeCollector::add_file(const std::filesystem::path& file, const std::string& origin) {
  if (cancelled_ && cancelled_()) throw SearchCancelled();
  const CutFile opened(file);
  switch (kind_of(opened.read(0, kind_bytes))) {
    case FileKind::cubin:
      return add_whole(FoundCode::Form::cubin, file, origin);
    case FileKind::ptx:
      return add_whole(FoundCode::Form::ptx, file, origin);
    case FileKind::relocatable_cubin:
      has_relocatable_ = true;
      return;
    case FileKind::fat_binary:
      if (opened.bytes() > max_code_bytes)
        throw CodeNotFound(
            fmt::format("it is a fat binary of more than {} MB, which is the limit", max_code_bytes >> 20U));
      return add_packed(split_fat_binaries(opened.read(0, opened.bytes())), origin);
    case FileKind::host_program:
    case FileKind::host_object:
      return add_packed(fat_binaries_of_host(opened), origin);
    default:
      return;
  }
}

void CodeCollector::add_whole(FoundCode::Form form, const std::filesystem::path& file,
                              const std::string& origin) {
  add(form, read_regular_file(file, bytes_left_), origin);
}

void CodeCollector::add_packed(FatBinaries packed, const std::string& origin) {
  if (packed.is_cut)
    add_note(fmt::format("{}: a fat binary ends behind the end of the file, and is left out", origin));
  if (packed.linked.empty()) {
    has_relocatable_ |= packed.has_relocatable;
    return;
  }
  if (!cuobjdump_) cuobjdump_ = Cuobjdump::find(tools_.cuobjdump);
  std::array<int, 2> counts{};
  UnpackedCodes unpacked = cuobjdump_->unpack(packed.linked, bytes_left_, cancelled_);
  for (const std::string& problem : unpacked.problems) add_note(fmt::format("{}: {}", origin, problem));
  for (UnpackedCode& code : unpacked.codes) {
    const int count = counts.at(static_cast<std::size_t>(code.form)) + 1;
    const std::string source = source_in(code.name);
    const bool is_added = add(code.form, std::move(code.contents),
                              fmt::format("{}: {} {}{}", origin, ordinal(count), to_string(code.form),
                                          source.empty() ? "" : " (" + source + ")"));
    if (is_added) counts.at(static_cast<std::size_t>(code.form)) = count;
  }
}

bool CodeCollector::add(FoundCode::Form form, std::string contents, const std::string& origin) {
  if (form == FoundCode::Form::cubin && kind_of(contents) == FileKind::relocatable_cubin) {
    has_relocatable_ = true;
    return false;
  }
  DeviceCodeFacts facts = form == FoundCode::Form::cubin ? facts_of_cubin(contents) : facts_of_ptx(contents);
  if (facts.kernels.empty()) {
    has_code_without_kernel_ = true;
    return false;
  }
  if (contents.size() > bytes_left_)
    throw CodeNotFound(
        fmt::format("its device code takes more than {} MB, which is the limit: open the part that has the "
                    "kernel",
                    max_code_bytes >> 20U));
  bytes_left_ -= contents.size();
  codes_.push_back(
      {form, std::move(facts.architecture), origin, std::move(contents), std::move(facts.kernels), entry_});
  return true;
}

}  // namespace tilescope
