#include "profiler/measure/disassembly_cache.hpp"

#include <algorithm>

#include "profiler/compile/hash.hpp"

namespace tilescope {
namespace {

constexpr std::size_t kept = 16;  // that of a large kernel takes about a megabyte

}  // namespace

std::shared_ptr<const sass::Disassembly> DisassemblyCache::get(const std::vector<char>& cubin) {
  const std::string key = sha256({cubin.data(), cubin.size()});
  const auto found =
      std::find_if(latest_.begin(), latest_.end(), [&](const Entry& known) { return known.sha256 == key; });
  if (found != latest_.end()) {
    latest_.splice(latest_.begin(), latest_, found);
    return latest_.front().disassembly;
  }
  if (!disassembler_) disassembler_ = sass::Disassembler::find(search_);
  auto disassembly = std::make_shared<const sass::Disassembly>(disassembler_->disassemble(cubin));
  latest_.push_front({key, disassembly});
  if (latest_.size() > kept) latest_.pop_back();
  return disassembly;
}

std::string DisassemblyCache::program() const {
  return disassembler_ ? "nvdisasm " + disassembler_->version() : "";
}

}  // namespace tilescope
