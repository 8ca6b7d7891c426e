#include "profiler/measure/program_cache.hpp"

#include <algorithm>

#include "profiler/compile/hash.hpp"
#include "profiler/ptx/decode.hpp"
#include "profiler/ptx/parser.hpp"

namespace tilescope {
namespace {

constexpr std::size_t kept = 64;  // a decoded kernel takes about a megabyte

}  // namespace

std::shared_ptr<const ptx::Program> ProgramCache::get(const CompiledKernel& compiled,
                                                      const std::string& entry) {
  const std::string key = sha256(compiled.ptx) + ' ' + entry;
  const auto found =
      std::find_if(latest_.begin(), latest_.end(), [&](const Entry& known) { return known.key == key; });
  if (found != latest_.end()) {
    latest_.splice(latest_.begin(), latest_, found);
    return latest_.front().program;
  }
  auto program = std::make_shared<const ptx::Program>(ptx::decode(ptx::parse(compiled.ptx), entry));
  latest_.push_front({key, program});
  if (latest_.size() > kept) latest_.pop_back();
  return program;
}

}  // namespace tilescope
