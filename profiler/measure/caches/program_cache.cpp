#include "profiler/measure/caches/program_cache.hpp"

#include <algorithm>
#include <cstdint>
#include <unordered_map>

#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/sass/build_program.hpp"
#include "profiler/execution/sass/cubin.hpp"
#include "profiler/execution/sass/unsupported.hpp"
#include "profiler/kernels/compile/hash.hpp"

namespace tilescope {
namespace {

constexpr std::size_t kept = 64;  // a decoded kernel takes about a megabyte

// ptxas names the PTX line of every instruction, but not always its source line: where it moves loads
// together, several have the first load's line. So the source line is taken from the PTX line.
void take_source_lines(simt::Program& program, const simt::Program& ptx) {
  const auto first_location = static_cast<std::uint32_t>(program.locations.size());
  std::uint32_t first_file = 0;
  for (const simt::SourceFileName& file : program.files) first_file = std::max(first_file, file.number + 1);
  for (const simt::SourceFileName& file : ptx.files)
    program.files.push_back({first_file + file.number, file.path});
  for (simt::Location location : ptx.locations) {
    location.file += first_file;
    if (location.inlined_at != simt::no_index) location.inlined_at += first_location;
    program.locations.push_back(std::move(location));
  }
  std::unordered_map<std::uint32_t, std::uint32_t> location_of;
  for (const simt::Origin& origin : ptx.origins) {
    if (origin.location != simt::no_index)
      location_of.emplace(origin.ptx_line, first_location + origin.location);
  }
  for (simt::Origin& origin : program.origins) {
    const auto found = location_of.find(origin.ptx_line);
    if (found != location_of.end()) origin.location = found->second;
  }
}

// Adds the parts that the compiler leaves out of the machine code: exact source lines, and the names of
// shared arrays, if the arrays take as many bytes in the PTX.
void add_source_of_ptx(simt::Program& program, const simt::Program& ptx) {
  take_source_lines(program, ptx);
  if (program.shared_symbols.empty() && program.static_shared_bytes == ptx.static_shared_bytes) {
    program.shared_symbols = ptx.shared_symbols;
  }
}

}  // namespace

std::shared_ptr<const simt::Program> ProgramCache::get(const std::string& key,
                                                       const std::function<simt::Program()>& decode) {
  const auto found = std::ranges::find(latest_, key, &Entry::key);
  if (found != latest_.end()) {
    latest_.splice(latest_.begin(), latest_, found);
    return latest_.front().program;
  }
  auto program = std::make_shared<const simt::Program>(decode());
  latest_.push_front({key, program});
  if (latest_.size() > kept) latest_.pop_back();
  return program;
}

std::shared_ptr<const simt::Program> ProgramCache::ptx(const CompiledKernel& compiled,
                                                       const std::string& entry) {
  return get("ptx " + sha256(compiled.ptx) + ' ' + entry,
             [&] { return ptx::build_program(ptx::parse(compiled.ptx), entry); });
}

std::shared_ptr<const simt::Program> ProgramCache::machine_code(const CompiledKernel& compiled,
                                                                const std::string& entry) {
  const auto decode = [&] {
    simt::Program program =
        sass::build_program(sass::read_cubin(compiled.cubin), *disassemblies_.get(compiled.cubin), entry);
    if (compiled.ptx.empty()) return program;
    try {
      add_source_of_ptx(program, *ptx(compiled, entry));
    } catch (const ptx::PtxError&) {
      return program;  // PTX that is not understood has neither names nor lines
    }
    return program;
  };
  return get("machine code " + sha256({compiled.cubin.data(), compiled.cubin.size()}) + ' ' + entry, decode);
}

CodeToRun ProgramCache::code_to_run(const CompiledKernel& compiled, const std::string& entry) {
  if (compiled.cubin.empty()) return {ptx(compiled, entry), ""};
  std::string why;
  try {
    return {machine_code(compiled, entry), ""};
  } catch (const sass::Unsupported& error) {
    why = error.what();
  } catch (const sass::CubinError& error) {
    why = error.what();
  } catch (const sass::DisassemblyError& error) {
    why = error.what();
  } catch (const sass::NvdisasmUnavailable& error) {
    why = error.what();
  }
  return {ptx(compiled, entry), std::move(why)};
}

}  // namespace tilescope
