#include "profiler/measure/caches/disassembly_cache.hpp"

#include <algorithm>
#include <utility>

#include "profiler/kernels/compile/hash.hpp"

namespace tilescope {
namespace {

constexpr std::size_t kept_in_memory = 16;  // a large kernel's disassembly takes about a megabyte
constexpr std::uintmax_t kept_on_disk = std::uintmax_t{256} << 20;
constexpr int kept_between_prunes = 64;

}  // namespace

DisassemblyCache::DisassemblyCache(const Installation& installation)
    : DisassemblyCache({environment("TILESCOPE_CUDA"), installation.dependencies, environment("PATH")},
                       installation.cache / "disassemblies") {}

DisassemblyCache::DisassemblyCache(sass::NvdisasmSearch search, std::filesystem::path folder)
    : search_(std::move(search)), files_(std::move(folder), ".txt") {}

void DisassemblyCache::prepare(const std::string& architecture) {
  try {
    disassembler().prepare(architecture);
  } catch (const sass::NvdisasmUnavailable&) {
    return;  // get() says so
  }
}

Remarks remarks_on_spills(const sass::Cubin& cubin) {
  const bool has_stack = std::ranges::any_of(
      cubin.kernels, [](const sass::CubinKernel& kernel) { return kernel.stack_bytes.value_or(1) > 0; });
  return has_stack ? Remarks::wanted : Remarks::left_out;
}

std::shared_ptr<const sass::Disassembly> DisassemblyCache::get(const std::vector<char>& cubin,
                                                               Remarks remarks) {
  const std::string key =
      sha256({cubin.data(), cubin.size()}) + (remarks == Remarks::wanted ? "-remarks" : "");
  if (auto known = find(key)) return known;
  auto disassembly =
      std::make_shared<const sass::Disassembly>(sass::parse_disassembly(text_of(cubin, key, remarks)));
  const std::lock_guard lock(mutex_);
  latest_.push_front({key, disassembly});
  if (latest_.size() > kept_in_memory) latest_.pop_back();
  return disassembly;
}

std::shared_ptr<const sass::Disassembly> DisassemblyCache::find(const std::string& key) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(latest_, key, &Entry::key);
  if (found == latest_.end()) return nullptr;
  latest_.splice(latest_.begin(), latest_, found);
  return latest_.front().disassembly;
}

// Two threads that ask for one binary at once both run nvdisasm, with the same result.
std::string DisassemblyCache::text_of(const std::vector<char>& cubin, const std::string& key,
                                      Remarks remarks) {
  const sass::Disassembler nvdisasm = disassembler();
  const std::string file = key + "-" + nvdisasm.version();
  if (auto text = files_.find(file)) return std::move(*text);
  std::string text = remarks == Remarks::wanted ? nvdisasm.print_alone(cubin) : nvdisasm.print(cubin);
  files_.keep(file, text);
  const std::lock_guard lock(mutex_);
  if (kept_++ % kept_between_prunes == 0) files_.prune(kept_on_disk);
  return text;
}

sass::Disassembler DisassemblyCache::disassembler() {
  const std::lock_guard lock(mutex_);
  if (!disassembler_) disassembler_ = sass::Disassembler::find(search_, limits_);
  return *disassembler_;
}

std::string DisassemblyCache::program() const {
  const std::lock_guard lock(mutex_);
  return disassembler_ ? "nvdisasm " + disassembler_->version() : "";
}

}  // namespace tilescope
