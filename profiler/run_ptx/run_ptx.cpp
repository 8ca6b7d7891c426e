#include "profiler/run_ptx/run_ptx.hpp"

#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include "profiler/memory/trace.hpp"
#include "profiler/ptx/decode.hpp"
#include "profiler/ptx/parser.hpp"
#include "profiler/run_ptx/launch_file.hpp"

namespace tilescope {
namespace {

std::string choose_entry(const ptx::Module& module, const std::string& wanted) {
  std::string names;
  std::string only;
  int count = 0;
  for (const ptx::Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    only = std::string(function.name);
    if (only == wanted) return only;
    names += (names.empty() ? "" : ", ") + only;
    ++count;
  }
  if (count == 0) throw UnknownEntry("the PTX has no kernel (.entry)");
  if (wanted.empty() && count == 1) return only;
  if (wanted.empty()) throw UnknownEntry("the PTX has several kernels; choose one with --entry: " + names);
  throw UnknownEntry("the PTX has no kernel '" + wanted + "'; it has " + names);
}

// The kernel's memory and parameters.
class Arguments {
 public:
  Arguments(const LaunchFile& file, const simt::Program& program) : file_(file) {
    launch_.grid = file.grid;
    launch_.block = file.block;
    launch_.dynamic_shared_bytes = file.dynamic_shared_bytes;
    launch_.parameters.resize(program.parameter_bytes);
    for (std::size_t i = 0; i < file.arguments.size(); ++i) {
      std::byte* parameter = launch_.parameters.data() + program.parameters[i].offset;
      if (const auto* value = std::get_if<std::vector<std::byte>>(&file.arguments[i])) {
        std::memcpy(parameter, value->data(), value->size());
        addresses_.push_back(0);
        continue;
      }
      const auto& buffer = std::get<BufferArgument>(file.arguments[i]);
      const std::uint64_t address = memory_.allocate(buffer.name, buffer.contents.size());
      std::memcpy(data(address), buffer.contents.data(), buffer.contents.size());
      std::memcpy(parameter, &address, sizeof address);
      addresses_.push_back(address);
    }
  }

  const simt::Launch& launch() const { return launch_; }
  simt::GlobalMemory& memory() { return memory_; }

  std::vector<PtxRunBuffer> buffers() const {
    std::vector<PtxRunBuffer> buffers;
    for (std::size_t i = 0; i < file_.arguments.size(); ++i) {
      const auto* given = std::get_if<BufferArgument>(&file_.arguments[i]);
      if (given == nullptr) continue;
      const std::byte* begin = data(addresses_[i]);
      buffers.push_back({static_cast<std::int64_t>(i), given->name, given->element,
                         std::vector<std::byte>(begin, begin + given->contents.size())});
    }
    return buffers;
  }

 private:
  std::byte* data(std::uint64_t address) const { return memory_.find(address, 1)->data; }

  const LaunchFile& file_;
  simt::Launch launch_;
  simt::GlobalMemory memory_;
  std::vector<std::uint64_t> addresses_;
};

// Decodes the kernel, or stores in the run why it cannot.
std::optional<simt::Program> decode(const std::string& text, const std::string& wanted, PtxRun& run) {
  try {
    const ptx::Module module = ptx::parse(text);
    run.target = std::string(module.target);
    run.entry = choose_entry(module, wanted);
    return ptx::decode(module, run.entry);
  } catch (const ptx::Unsupported& error) {
    run.status = Status::unsupported;
    run.reason = error.what();
  } catch (const ptx::PtxError& error) {
    run.status = Status::compile_failed;
    run.reason = error.what();
  }
  return std::nullopt;
}

void take_counts(const simt::Program& program, const simt::RunResult& result, PtxRun& run) {
  run.blocks_run = static_cast<std::int64_t>(result.blocks_run);
  run.warp_instructions = static_cast<std::int64_t>(result.warp_instructions);
  run.lane_instructions = static_cast<std::int64_t>(result.lane_instructions);
  run.barriers = static_cast<std::int64_t>(result.barriers);
  const std::vector<std::uint64_t> pipes = simt::instructions_by_pipe(program, result);
  for (std::size_t pipe = 0; pipe < pipes.size(); ++pipe) {
    if (pipes[pipe] == 0) continue;
    run.instructions[std::string(simt::name_of(static_cast<simt::Pipe>(pipe)))] =
        static_cast<std::int64_t>(pipes[pipe]);
  }
}

Json sizes(const simt::Dimensions& dimensions) {
  return {dimensions.x, dimensions.y, dimensions.z};
}

Json to_json_document(const PtxRunBuffer& buffer) {
  Json values = Json::array();
  for (std::size_t at = 0; at + buffer.element.bytes <= buffer.contents.size(); at += buffer.element.bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, buffer.contents.data() + at, buffer.element.bytes);
    values.push_back(value_of(bits, buffer.element));
  }
  return {{"argument", buffer.argument},
          {"name", buffer.name},
          {"element", buffer.element.name},
          {"values", std::move(values)}};
}

}  // namespace

PtxRun run_ptx(const std::string& text, const Json& launch, const PtxRunOptions& options) {
  PtxRun run;
  const std::optional<simt::Program> program = decode(text, options.entry, run);
  if (!program) return run;
  const LaunchFile file = read_launch_file(launch, program->parameters);
  Arguments arguments(file, *program);
  run.grid = file.grid;
  run.block = file.block;
  run.dynamic_shared_bytes = file.dynamic_shared_bytes;
  run.notes = program->notes;

  TraceOptions trace_options;
  trace_options.count = false;
  trace_options.check = run.checked = options.check;
  trace_options.schedule_seed = options.schedule_seed;
  trace_options.cancelled = options.cancelled;
  Traced traced;
  try {
    traced = trace(*program, arguments.launch(), arguments.memory(), trace_options);
  } catch (const std::invalid_argument& error) {
    throw LaunchFileError(error.what());
  }
  take_counts(*program, traced.run, run);
  run.findings = std::move(traced.findings);
  if (!traced.unchecked.empty()) run.notes.push_back(traced.unchecked + ".");
  run.buffers = arguments.buffers();
  if (traced.run.cancelled) {
    run.status = Status::cancelled;
    run.reason = "cancelled while interpreting";
  } else if (traced.run.fault) {
    const bool is_endless = traced.run.fault->kind == simt::FaultKind::instruction_budget;
    run.status = is_endless ? Status::timed_out : Status::launch_failed;
    run.reason = traced.run.fault->text;
  }
  return run;
}

Json to_json_document(const PtxRun& run) {
  Json buffers = Json::array();
  for (const PtxRunBuffer& buffer : run.buffers) buffers.push_back(to_json_document(buffer));
  return {{"status", to_string(run.status)},
          {"reason", run.reason},
          {"entry", run.entry},
          {"target", run.target},
          {"grid", sizes(run.grid)},
          {"block", sizes(run.block)},
          {"dynamic_shared_bytes", run.dynamic_shared_bytes},
          {"blocks_run", run.blocks_run},
          {"warp_instructions", run.warp_instructions},
          {"lane_instructions", run.lane_instructions},
          {"instructions", Json(run.instructions)},
          {"barriers", run.barriers},
          {"buffers", std::move(buffers)},
          {"checked", run.checked},
          {"findings", run.findings},
          {"notes", run.notes}};
}

}  // namespace tilescope
