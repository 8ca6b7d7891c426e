#include "profiler/measure/caches/execution_cache.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/json.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope {
namespace {

constexpr std::uintmax_t kept_on_disk = std::uintmax_t{64} << 20;
constexpr int kept_between_prunes = 64;

// Another build of the interpreter or of the model may give something else.
std::string program_identity(const std::filesystem::path& executable) {
  std::error_code error;
  const auto written = std::filesystem::last_write_time(executable, error);
  const std::uintmax_t bytes = error ? 0 : std::filesystem::file_size(executable, error);
  if (error) return "";
  return fmt::format("{} {} {}", executable.string(), bytes, written.time_since_epoch().count());
}

}  // namespace

ExecutionCache::ExecutionCache(const Installation& installation)
    : program_(program_identity(installation.executable)),
      files_(installation.cache / "executions", ".json") {}

std::string ExecutionCache::key(const Prepared& kernel, bool explain) const {
  const CompiledKernel& compiled = kernel.compiled;
  Experiment experiment = kernel.experiment;
  experiment.parameters = kernel.complete;
  experiment.source.reset();  // its hash is the compiled source's
  const std::string code = sha256({compiled.cubin.data(), compiled.cubin.size()});
  return sha256(fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}", explain, program_, compiled.source_sha256,
                            compiled.key, code, to_table_document(kernel.device).dump(),
                            Json(experiment).dump()));
}

bool ExecutionCache::add(const std::string& key, Measurement& point) const {
  if (program_.empty()) return false;
  const std::optional<std::string> text = files_.find(key);
  if (!text) return false;
  try {
    auto known = parse_json(*text).get<Measurement>();
    point.error = std::move(known.error);
    point.memory = std::move(known.memory);
    point.findings = std::move(known.findings);
    point.prediction = std::move(known.prediction);
    point.notes.insert(point.notes.end(), std::make_move_iterator(known.notes.begin()),
                       std::make_move_iterator(known.notes.end()));
    return true;
  } catch (const std::exception&) {
    return false;  // as good as none
  }
}

void ExecutionCache::keep(const std::string& key, const Measurement& point, std::size_t notes_before) {
  if (program_.empty() || point.status != Status::ok || !point.error || !point.prediction) return;
  Measurement known;
  known.kernel = point.kernel;
  known.shape = point.shape;
  known.error = point.error;
  known.memory = point.memory;
  known.findings = point.findings;
  known.prediction = point.prediction;
  known.notes.assign(point.notes.begin() + static_cast<std::ptrdiff_t>(notes_before), point.notes.end());
  files_.keep(key, Json(known).dump());
  const std::lock_guard lock(mutex_);
  if (kept_++ % kept_between_prunes == 0) files_.prune(kept_on_disk);
}

}  // namespace tilescope
