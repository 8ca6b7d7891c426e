#include "profiler/measure/open/file_opening.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <iterator>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>

#include "base/json.hpp"
#include "profiler/kernels/compile/hash.hpp"
#include "profiler/measure/files/file_program.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/launch_options.hpp"
#include "profiler/measure/gpu/file_on_gpu.hpp"
#include "profiler/measure/gpu/gpu_host.hpp"
#include "profiler/measure/interpret/file_interpretation.hpp"
#include "profiler/measure/open/cache_entries.hpp"
#include "profiler/measure/open/earlier_guess.hpp"
#include "profiler/measure/open/file_kernels.hpp"
#include "profiler/measure/open/gpu_result.hpp"
#include "profiler/measure/open/guessed_sample.hpp"
#include "profiler/measure/open/host_values.hpp"
#include "profiler/measure/open/known_results.hpp"
#include "profiler/measure/open/named_arguments.hpp"
#include "profiler/measure/open/opened_codes.hpp"
#include "profiler/measure/open/other_kernel_guess.hpp"
#include "profiler/measure/open/reference_guess.hpp"
#include "profiler/measure/prepare/device_choice.hpp"
#include "profiler/measure/prepare/failure.hpp"
#include "profiler/measure/provenance.hpp"
#include "profiler/service/requests/source_tile.hpp"

namespace tilescope {
namespace {

// Faults after which a GPU's context, or the GPU, can run nothing more.
std::string why_dangerous(const std::vector<Finding>& findings) {
  constexpr std::array<std::string_view, 8> dangerous = {
      "out_of_bounds", "misaligned",         "read_only", "deadlock",
      "livelock",      "instruction_budget", "trap",      "divergent_barrier"};
  const auto found = std::ranges::find_if(findings, [&](const Finding& finding) {
    return std::ranges::find(dangerous, finding.kind) != dangerous.end();
  });
  return found == findings.end() ? "" : fmt::format("the interpreter found a fault ({})", found->kind);
}

class FileOpening {
 public:
  FileOpening(Workbench& bench, const OpenFile::Params& params, const MeasureControl& control,
              OpenedPoint& point)
      : bench_(bench),
        params_(params),
        control_(control),
        limit_(params.subject.time_limit_s, control),
        options_(with_launch_options(params.subject.launch, params.options)),
        chosen_(params.chosen),
        reference_(take_choices_of("reference", chosen_)),
        earlier_(take_earlier_choices(chosen_)),
        point_(point) {}

  void run() {
    choose_device();
    control_.report({"read", 0.05});
    file_ = opened_codes(bench_, params_.subject.code, {device_.arch, options_, chosen_}, control_);
    point_.kind = file_.kind;
    point_.notes = file_.notes;
    point_.constants = file_.constants;
    control_.report({"disassemble", 0.3});
    kernels_ = kernels_of(file_.codes, device_, bench_.disassemblies(), point_.notes);
    point_.kernels = kernels_.kernels;
    if (params_.list_only && file_.cached.empty()) return;
    choose_kernel();
    take_cache_entry();
    take_parameters();
    // They are in the code that was compiled.
    if (!file_.sources.empty())
      std::erase_if(chosen_, [](const auto& choice) { return !array_of_choice(choice.first).empty(); });
    if (params_.list_only) return;
    take_call();
    if (file_.is_python && params_.calls.empty())
      point_.notes.emplace_back(
          "Python was not run: the tensors and the result of a PyTorch task (ModelNew, Model, get_inputs()) "
          "are not known.");
    decode();
    if (point_.status == Status::ok) launch();
  }

 private:
  void choose_device() {
    device_ = tilescope::choose_device(params_.device, bench_.gpus().devices(), bench_.tables());
    point_.device = {device_.name, device_.arch, device_.present};
    point_.kernel = params_.subject.code.path;
    point_.arguments.emplace();
    take_provenance();
  }

  void take_provenance() {
    point_.provenance = begin_provenance(Experiment{}, "");
    point_.provenance.compile_options = options_;
    // A large library is not read again for its hash.
    if (const auto& contents = params_.subject.code.contents)
      point_.provenance.source_sha256 = sha256(*contents);
  }

  // A kernel of a compile cache has constants in which its entries differ, in the place of a source's.
  void take_cache_entry() {
    const CachedKernel* const kernel = file_.cached_kernel(point_.entry);
    if (kernel == nullptr) return;
    if (const std::string problem = why_no_entry(*kernel); !problem.empty())
      throw std::invalid_argument(problem);
    point_.constants = constants_of(*kernel);
    for (const auto& [name, constant] : kernel->entries[kernel->taken].entry.constants)
      point_.parameters[name] = constant.value;
  }

  // Sizes and tensors of the program's call that reaches the launch go before what names suggest.
  void take_call() {
    const std::string function = file_.written_kernel(point_.entry, chosen_, {}).host_function;
    call_.emplace(params_.calls, file_.sources, function);
    if (call_->is_empty()) return;
    basis_.host_values = call_->values();
    basis_.caller = call_->call().caller;
    point_.notes.push_back(
        fmt::format("{} passes the tensors and sizes of {}().", basis_.caller, call_->call().function));
  }

  // Values in which another point of the file may differ: the source's constants as they are compiled in, and the numbers that
  // were given.
  void take_parameters() {
    for (const OpenedConstant& constant : point_.constants) point_.parameters[constant.name] = constant.value;
    for (const auto& [name, text] : chosen_) {
      const ParameterValue value = parameter_value_from(text);
      if (std::holds_alternative<std::int64_t>(value)) point_.parameters[name] = value;
    }
  }

  bool has_other_constants() const {
    return std::ranges::any_of(
        point_.constants, [&](const OpenedConstant& constant) { return chosen_.contains(constant.name); });
  }

  void choose_kernel() {
    std::string reason;
    std::vector<std::string> launched = tilescope::kernels_of(params_.calls, file_.sources);
    std::ranges::move(file_.launched_kernels(), std::back_inserter(launched));
    const std::size_t chosen = tilescope::choose_kernel(kernels_.kernels, params_.subject.entry,
                                                        has_other_constants(), launched, reason);
    const OpenedKernel& kernel = kernels_.kernels[chosen];
    code_ = &file_.codes[kernels_.code[chosen]];
    point_.entry = kernel.name;
    point_.target = kernel.target;
    if (!reason.empty()) point_.guesses.push_back({"kernel", kernel.demangled, reason});
  }

  void decode() {
    decoded_ = decode_file(code_->contents, code_->form, point_.entry, bench_.disassemblies());
    if (decoded_.program) return;
    point_.status = decoded_.status;
    point_.reason = decoded_.reason;
  }

  void launch() {
    if (params_.subject.launch) {
      launch_as_given();
    } else {
      launch_as_guessed();
    }
    say_if_blocks_wait();
    if (point_.status != Status::ok || !point_.compared.empty()) return;
    point_.status = Status::unchecked;
    point_.reason = !reference_.empty()          ? "The reference gave no values to compare with."
                    : !why_not_compared_.empty() ? why_not_compared_
                                                 : "Nothing says what the result should be.";
    if (!reference_.empty()) return;
    if (point_.outputs.empty()) return;
    const OpenedKernel* const twin = offered_reference();
    point_.reason += what_to_compare_with(twin);
    if (twin != nullptr)
      point_.guesses.push_back(
          {reference_kernel_choice, twin->demangled,
           "takes the same arguments; if both should leave the same, choose it to make this a "
           "checked point"});
  }

  // A kernel that may leave the same: its arguments have the same types, and its outputs the same sizes.
  const OpenedKernel* offered_reference() const {
    const WrittenKernel written = file_.written_kernel(point_.entry, chosen_, basis());
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < launch_.parameters.size(); ++i)
      if (std::ranges::find(point_.outputs, launch_.parameters[i].name) != point_.outputs.end())
        outputs.push_back(i);
    return kernel_with_equal_arguments(
        kernels_, point_.entry, file_.launched_kernels(), [&](const std::string& name) {
          return !outputs_differ_in_size(written, file_.written_kernel(name, chosen_, basis()), outputs);
        });
  }

  // The trap of grid.sync() is the library's: it finds none of what a cooperative launch gives a kernel.
  void say_if_blocks_wait() {
    const bool is_ended = point_.status == Status::launch_failed || point_.status == Status::timed_out;
    if (!launch_.is_cooperative || !is_ended) return;
    point_.reason +=
        ". The file launches it cooperatively, so that blocks wait for each other (grid.sync()): that is not "
        "executed, since blocks are interpreted one after the other";
  }

  // A sentence on how the point becomes a checked one.
  std::string what_to_compare_with(const OpenedKernel* twin) const {
    for (const LaunchGuess& guess : point_.guesses) {
      const std::size_t end = guess.what.rfind(": expected");
      if (end == std::string::npos) continue;
      const std::string output = guess.what.substr(0, end);
      return fmt::format(" '{}' equals {}: choose that formula to have it checked.", output, guess.value);
    }
    std::string how = fmt::format(" Give a formula of '{}' to have it checked", point_.outputs.front());
    if (twin != nullptr)
      how += fmt::format(
          ", or compare it with '{}', which takes the same arguments, if both should leave the same",
          twin->demangled);
    return how + ".";
  }

  void launch_as_given() {
    point_.launch = contents_of(*params_.subject.launch);
    // Other kernels are guessed from a launch that is known to be right.
    if (!reference_.empty() || !earlier_.empty())
      read_launch_file(parse_json(point_.launch), decoded_.program->parameters, params_.subject.arrays);
    add_other_kernels();
    interpret(SentFile{params_.subject.launch->path, point_.launch});
  }

  // The first guess whose buffers fit and whose blocks end soon, with smaller sizes where the usual ones are too large.
  GuessedLaunch guess(double& divisor) const {
    constexpr double most = 16, step = 4;
    for (divisor = 1;; divisor *= step) {
      GuessedLaunch launch = guess_launch(sources(divisor));
      if (!launch.is_too_large || divisor >= most) return launch;
    }
  }

  GuessSources sources(double divisor) const {
    GuessSources sources{*decoded_.program};
    sources.basis = basis(divisor);
    sources.most_shared_bytes = most_shared_bytes();
    sources.written = file_.written_kernel(point_.entry, chosen_, sources.basis);
    if (call_ && !call_->is_empty()) call_->take_tensors(sources.written);
    for (const OpenedConstant& constant : point_.constants) sources.written.taken.insert(constant.name);
    sources.axes = used_axes(*code_, point_.entry, bench_.disassemblies());
    sources.chosen = chosen_;
    sources.cancelled = [this] { return limit_.is_over(); };
    sources.constants = file_.numbers;
    sources.blocks = static_cast<std::uint64_t>(params_.blocks);
    return sources;
  }

  std::uint32_t most_shared_bytes() const {
    constexpr std::uint32_t most = 227U << 10U;
    const auto of_device = static_cast<std::uint32_t>(device_.shared_bytes_per_block_optin);
    return of_device > 0 ? of_device : most;
  }

  void launch_as_guessed() {
    control_.report({"guess", 0.4});
    const OpenedPoint before = point_;
    double divisor = 1;
    launch_ = guess(divisor);
    interpret_guess(before);
    if (leaves_buffers()) follow_contents(sources(divisor), before);
    if (stores_elsewhere()) take_reach_of_contents(sources(divisor), before);
    if (reads_beyond_guess()) {
      fill_integers_with_zeros();
      interpret_guess(before);
    }
    if (has_race()) try_distinct_indices(before, divisor);
  }

  // Indices that are all zeros make each thread store to one element.
  void try_distinct_indices(const OpenedPoint& before, double divisor) {
    GuessSources distinct = sources(divisor);
    GuessedLaunch launch = launch_;
    for (std::size_t i = 0; i < launch.buffers.size(); ++i) {
      const std::string what = launch.parameters[i].name + ": fill";
      if (!is_zero_index(launch.buffers[i]) || !has_guess(what)) continue;
      distinct.chosen[what] = launch.buffers[i]->fill = "iota";
    }
    if (distinct.chosen.size() == chosen_.size()) return;
    launch = with_reach_of_contents(distinct, std::move(launch));
    if (!launch.problem.empty() || launch.is_too_large) return;
    const GuessedLaunch of_zeros = std::exchange(launch_, std::move(launch));
    const OpenedPoint with_zeros = point_;
    interpret_guess(before);
    follow_contents(distinct, before);
    if (point_.status != with_zeros.status || has_race() || leaves_buffers()) {
      launch_ = of_zeros;
      point_ = with_zeros;
      return;
    }
    for (const auto& [what, value] : distinct.chosen) {
      if (chosen_.contains(what)) continue;
      launch_.guesses.push_back(
          {what, value,
           "an index or a count by its name; with zeros in it several threads stored to "
           "one element: it counts from 0"});
      point_.guesses.push_back(launch_.guesses.back());
    }
  }

  // Contents of a buffer that became larger may lead further.
  void follow_contents(const GuessSources& sources, const OpenedPoint& before) {
    constexpr int most_rounds = 4;
    for (int round = 0; round < most_rounds && leaves_buffers(); ++round) {
      GuessedLaunch wider = with_reach_of_contents(sources, launch_);
      if (!wider.problem.empty() || !has_larger_buffer(wider)) return;
      launch_ = std::move(wider);
      interpret_guess(before);
    }
  }

  // A mask of zeros kept the trial from storing what the launch stores.
  bool stores_elsewhere() const {
    if (!point_.outputs.empty() || !point_.memory || !launch_.problem.empty()) return false;
    const auto stored = point_.memory->bytes.find("global_write");
    return stored != point_.memory->bytes.end() && stored->second > 0;
  }

  void take_reach_of_contents(const GuessSources& sources, const OpenedPoint& before) {
    GuessedLaunch wider = with_reach_of_contents(sources, launch_);
    if (!wider.problem.empty() || wider.is_too_large) return;
    launch_ = std::move(wider);
    interpret_guess(before);
  }

  static bool is_zero_index(const std::optional<GuessedBuffer>& buffer) {
    return buffer && buffer->fill == "0" && buffer->contents.empty() && buffer->touched.is_read_first &&
           !buffer->touched.is_written && buffer->element.kind != Element::Kind::floating;
  }
  // Neither the user's nor the host code's.
  bool has_guess(const std::string& what) const {
    const auto found = std::ranges::find(launch_.guesses, what, &LaunchGuess::what);
    return found != launch_.guesses.end() && !found->reason.starts_with("the host code");
  }
  bool has_race() const {
    return std::ranges::find(point_.findings, "global_race", &Finding::kind) != point_.findings.end();
  }

  // In the place of an earlier run. `before`: the point without a launch.
  void interpret_guess(const OpenedPoint& before) {
    point_ = before;
    take_guesses();
    if (call_ && !call_->is_empty() && reference_.empty())
      why_not_compared_ = expect_result(call_->call(), params_.subject.arrays, launch_);
    // A problem with the block comes before any buffer: there is no launch then.
    if (launch_.buffers.size() == launch_.parameters.size()) point_.launch = launch_document(launch_);
    if (launch_.problem.empty()) {
      add_other_kernels();
      return interpret(guessed_launch());
    }
    point_.status = Status::unsupported;
    point_.reason = launch_.problem;
  }

  OtherKernelSources other_sources(const std::string& role) const {
    OtherKernelSources sources{file_, kernels_, bench_.disassemblies(), role, reference_, chosen_};
    sources.has_other_constants = has_other_constants();
    sources.launch = point_.launch;
    sources.most_shared_bytes = most_shared_bytes();
    sources.basis = basis();
    const WrittenKernel written = file_.written_kernel(point_.entry, chosen_, basis());
    sources.passed = written.passed;
    sources.host_function = written.host_function;
    sources.cancelled = [this] { return limit_.is_over(); };
    return sources;
  }

  SuggestionBasis basis(double divisor = 1) const {
    SuggestionBasis basis = basis_;
    basis.divisor = divisor;
    basis.sms = static_cast<int>(device_.sm_count);
    return basis;
  }

  // Other kernels that were asked for become a part of the launch.
  void add_other_kernels() {
    control_.report({"guess", 0.45});
    const EarlierKernels earlier = earlier_kernels();
    const std::optional<Json> reference = reference_of_launch();
    if (earlier.launches.empty() && !reference) return;
    Json launch = Json::parse(launch_.buffers.empty() ? point_.launch : launch_document(launch_));
    for (const Json& buffer : earlier.buffers) launch["buffers"].push_back(buffer);
    if (!earlier.launches.empty()) launch["before"] = earlier.launches;
    if (reference) launch["reference"] = *reference;
    point_.launch = launch.dump(2) + "\n";
  }

  EarlierKernels earlier_kernels() {
    const WrittenKernel written = file_.written_kernel(point_.entry, chosen_, basis());
    OtherKernelSources sources = other_sources("");
    sources.shared = SharedArguments::by_variable;
    if (!earlier_.empty()) return guess_earlier_kernels(sources, earlier_, launch_, point_.guesses);
    if (!launch_.buffers.empty())
      std::ranges::move(offered_earlier_kernels(sources, launch_, written),
                        std::back_inserter(point_.guesses));
    return {};
  }

  std::optional<Json> reference_of_launch() {
    if (reference_.empty()) return std::nullopt;
    const OtherKernelGuess reference = guess_other_kernel(other_sources("reference"));
    if (!launch_.buffers.empty()) widen_buffers(reference, chosen_, launch_, point_.guesses);
    point_.guesses.insert(point_.guesses.end(), reference.guesses.begin(), reference.guesses.end());
    return reference_member(reference, point_.outputs, reference_);
  }

  bool has_larger_buffer(const GuessedLaunch& other) const {
    for (std::size_t i = 0; i < launch_.buffers.size(); ++i)
      if (launch_.buffers[i] && other.buffers[i]->count > launch_.buffers[i]->count) return true;
    return false;
  }

  SentFile guessed_launch() const { return {"the guessed launch", point_.launch}; }

  void take_outputs() {
    for (std::size_t i = 0; i < launch_.buffers.size(); ++i)
      if (launch_.buffers[i] && launch_.buffers[i]->touched.is_written)
        point_.outputs.push_back(launch_.parameters[i].name);
  }

  void take_guesses() {
    take_outputs();
    point_.guesses.insert(point_.guesses.end(), launch_.guesses.begin(), launch_.guesses.end());
  }

  void interpret(std::optional<SentFile> launch) {
    FileSubject subject;
    subject.entry = point_.entry;
    subject.launch = std::move(launch);
    subject.arrays = params_.subject.arrays;
    subject.time_limit_s = params_.subject.time_limit_s;
    FileInterpretation how;
    how.check = params_.check;
    how.device = device_;
    how.sends_buffers = false;
    how.sample = sample_of(launch_);
    how.touched = touched_parts(launch_);
    how.decode_other = [this](const std::string& entry) { return decode_other(entry); };
    how.take_result = [this](FileLaunch& launch, const TraceOptions& options) {
      if (!launch_.buffers.empty() && expects_nothing()) recognise(launch, options);
      if (device_.present) run_on_gpu(launch, options.blocks.empty());
    };
    if (launch_.buffers.empty() && params_.blocks != OpenFile::all_blocks)
      how.sampled_blocks = static_cast<std::uint64_t>(params_.blocks);
    interpret_file(decoded_, subject, how, limit_, control_, point_);
    point_.arguments = named_arguments(point_.launch);
  }

  FileProgram decode_other(const std::string& entry) {
    std::string ignored;
    const std::size_t kernel =
        tilescope::choose_kernel(kernels_.kernels, entry, has_other_constants(), {}, ignored);
    const OpenedCode& code = file_.codes[kernels_.code[kernel]];
    return decode_file(code.contents, code.form, kernels_.kernels[kernel].name, bench_.disassemblies());
  }

  bool expects_nothing() const {
    return reference_.empty() && std::ranges::none_of(launch_.buffers, [](const auto& buffer) {
             return buffer && !(buffer->expected.empty() && buffer->expected_array.name.empty());
           });
  }

  // Offers formulas that the outputs equal. The user decides whether they are what the kernel should compute.
  void recognise(FileLaunch& launch, const TraceOptions& options) {
    constexpr std::chrono::milliseconds most_time{1500};
    const auto end = std::chrono::steady_clock::now() + most_time;
    const auto is_over = [&] { return limit_.is_over() || std::chrono::steady_clock::now() > end; };
    for (const auto& [output, formula] : recognised_results(launch, options, launch_, is_over))
      point_.guesses.push_back(
          {output + ": expected", formula,
           "the values equal it; if they should, choose it to make this a checked point"});
  }

  // On the GPU of this machine, with the same buffers as in the interpreter.
  void run_on_gpu(const FileLaunch& launch, bool is_whole_grid) {
    std::string why = why_not_on_gpu(launch);
    if (why.empty()) why = why_dangerous(point_.findings);
    if (!why.empty()) {
      point_.notes.push_back("It was not run on the GPU: " + why + ".");
      return;
    }
    const std::vector<OutputContents> interpreted = interpreted_outputs(launch, point_.outputs);
    const std::optional<Failure> failure =
        failure_of([&] { time_on_gpu(launch, interpreted, is_whole_grid); });
    if (!failure) return;
    point_.notes.push_back("It was not timed: " + failure->reason);
    if (!failure->why_unusable.empty()) bench_.why_unusable = failure->why_unusable;
  }

  void time_on_gpu(const FileLaunch& launch, const std::vector<OutputContents>& interpreted,
                   bool is_whole_grid) {
    constexpr double timed_s = 0.3;
    control_.report({"time", 0.9});
    GpuPort& port = bench_.gpus().port(device_, bench_.compiler(), bench_.installation().kernels);
    // The driver reads PTX up to a zero byte.
    const std::span<const char> code(code_->contents.c_str(), code_->contents.size() + 1);
    FileOnGpu gpu(port, code, point_.entry, launch);
    gpu.run();
    compare_with_gpu(gpu, launch, interpreted, is_whole_grid, point_);
    Latency latency = gpu.time({timed_s}, control_);
    if (control_.cancelled()) return;
    if (latency.l2_warm) point_.provenance.sm_clock_mhz = latency.l2_warm->sm_clock_mhz;
    point_.provenance.driver_version = bench_.gpus().driver_version();
    point_.latency = std::move(latency);
    point_.notes.insert(point_.notes.end(), port.timing_notes().begin(), port.timing_notes().end());
  }

  bool leaves_buffers() const {
    return std::ranges::any_of(point_.findings,
                               [](const Finding& finding) { return finding.kind == "out_of_bounds"; });
  }
  // Random whole numbers may have been used as indices.
  bool reads_beyond_guess() const {
    return leaves_buffers() && std::ranges::any_of(launch_.buffers, is_random_integer);
  }
  static bool is_random_integer(const std::optional<GuessedBuffer>& buffer) {
    return buffer && buffer->fill == "random" && buffer->element.kind != Element::Kind::floating;
  }

  void fill_integers_with_zeros() {
    for (std::size_t i = 0; i < launch_.buffers.size(); ++i) {
      const std::string what = launch_.parameters[i].name + ": fill";
      if (!is_random_integer(launch_.buffers[i]) || chosen_.contains(what)) continue;
      launch_.buffers[i]->fill = "0";
      for (LaunchGuess& guess : launch_.guesses) {
        if (guess.what == what)
          guess = {what, "0",
                   "with whole numbers from 0 to 7 the kernel left its buffers: zeros lie in all of them"};
      }
    }
  }

  Workbench& bench_;
  const OpenFile::Params& params_;
  const MeasureControl& control_;
  const RunLimit limit_;
  const std::vector<std::string> options_;
  /// The user's values, without those on other kernels.
  std::map<std::string, std::string> chosen_;
  const std::map<std::string, std::string> reference_;
  const std::vector<std::map<std::string, std::string>> earlier_;
  OpenedPoint& point_;
  DeviceModel device_;
  OpenedCodes file_;
  FileKernels kernels_;
  const OpenedCode* code_ = nullptr;
  FileProgram decoded_;
  GuessedLaunch launch_;
  std::optional<NamedCall> call_;
  SuggestionBasis basis_;
  /// Why what the call returns is not compared, a sentence.
  std::string why_not_compared_;
};

}  // namespace

void open_file(Workbench& bench, const OpenFile::Params& params, const MeasureControl& control,
               OpenedPoint& point) {
  FileOpening(bench, params, control, point).run();
}

}  // namespace tilescope
