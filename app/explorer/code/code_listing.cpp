#include "app/explorer/code/code_listing.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "app/explorer/kernel_file/compared_files.hpp"
#include "app/explorer/kernel_list.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/kernels/catalogue/constraints.hpp"

namespace tilescope {
namespace {

/// Why there is nothing to list; empty texts where there is something.
MissingAnswer why_not_listed(const Board& board, const std::string& kernel_name, const std::string& invalid) {
  if (!board.parts.jobs.has_worker())
    return {"No listing", "This window was started without a worker, which compiles kernels."};
  const KernelDeclaration* kernel = board.parts.kernels.find(kernel_name);
  if (kernel != nullptr && kernel->is_launched_by_library() && kernel->entry.empty()) {
    return {
        "No code to list",
        fmt::format(
            "{} is launched by {}, which brings its machine code: there is neither a source nor PTX. Choose "
            "a kernel of the ladder.",
            kernel->name, proper_name(kernel->library))};
  }
  if (!invalid.empty()) return {"Invalid configuration", invalid};
  return {};
}

/// Long PTX takes longer to read than a frame may.
Outcome<ListedCode> link(const Experiment& experiment, Listing::Answer answer) {
  MissingAnswer missing;
  if (answer.status != Status::ok) missing = why_failed("No machine code", answer.status, answer.reason);
  const bool has_text = answer.source || !answer.ptx.empty() || !answer.machine_code.lines.empty();
  if (!has_text) return {nullptr, std::move(missing)};
  auto code = std::make_shared<ListedCode>(ListedCode{experiment, std::move(answer), {}});
  code->linked = LinkedListing(code->answer, "");
  return {std::move(code), std::move(missing)};
}

}  // namespace

CodeListing::CodeListing(Board& board, const std::string& side)
    : Answer(board, side.empty() ? "listing" : "listing of " + side,
             {"Compiling...", "The kernel is compiled and its machine code is read; no GPU is needed."}),
      board_(board),
      sources_(board) {}

void CodeListing::want() {
  want_answer({under_sliders(board_), nullptr}, [this](const ListedSubject& subject) {
    return question(subject.asked.experiment, board_.parts.selection.why_invalid());
  });
}

void CodeListing::want(const Experiment& experiment) {
  want_answer({as_asked(board_, experiment), nullptr}, [this](const ListedSubject& subject) {
    return question(subject.asked.experiment, why_invalid(subject.asked.experiment));
  });
}

void CodeListing::want(const SharedMeasurement& point) {
  want_answer({{}, point, board_.parts.kernels.revision()}, [this](const ListedSubject& subject) {
    const ChosenFile* const file = board_.get<ComparedFiles>().find_file(subject.point);
    return file != nullptr ? question_of_file(*subject.point, *file)
                           : question(with_source(*subject.point), "");
  });
}

std::string CodeListing::why_invalid(const Experiment& experiment) const {
  const KernelDeclaration* kernel = board_.parts.kernels.find(experiment.kernel);
  if (kernel == nullptr) return "The catalogue has no kernel '" + experiment.kernel + "'.";
  return tilescope::why_invalid(*kernel, experiment.parameters, experiment.shape,
                                board_.parts.selection.device());
}

Experiment CodeListing::with_source(const Measurement& point) {
  Experiment experiment = experiment_of(point);
  const CurrentSources& current = board_.parts.kernels.sources();
  const auto here = current.find(point.kernel);
  const bool is_current = here != current.end() && here->second == point.provenance.source_sha256;
  if (const SourceFile* source = is_current ? nullptr : sources_.find(point)) experiment.source = *source;
  return experiment;
}

CodeListing::Asked CodeListing::question_of_file(const Measurement& point, const ChosenFile& file) {
  Question question;
  question.params.file = file;
  question.derive = [experiment = experiment_of(point)](Listing::Answer answer) {
    return link(experiment, std::move(answer));
  };
  return question;
}

CodeListing::Asked CodeListing::question(Experiment experiment, const std::string& invalid) const {
  if (MissingAnswer why_not = why_not_listed(board_, experiment.kernel, invalid); !why_not.heading.empty())
    return why_not;
  Question question;
  question.params = {experiment};
  question.derive = [experiment = std::move(experiment)](Listing::Answer answer) {
    return link(experiment, std::move(answer));
  };
  return question;
}

}  // namespace tilescope
