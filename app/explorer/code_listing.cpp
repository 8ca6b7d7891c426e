#include "app/explorer/code_listing.hpp"

#include <fmt/format.h>

#include <utility>

#include "app/explorer/explorer.hpp"
#include "profiler/catalogue/constraints.hpp"

namespace tilescope {
namespace {

/// Why there is nothing to list; empty texts where there is something.
MissingAnswer why_not_listed(const Explorer& explorer, const std::string& kernel_name,
                             const std::string& invalid) {
  if (!explorer.jobs().has_worker())
    return {"No listing", "This window was started without a worker, which compiles kernels."};
  const KernelDeclaration* kernel = explorer.kernels().find(kernel_name);
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

}  // namespace

void CodeListing::want(Explorer& explorer) {
  AskedExperiment now = under_sliders(explorer);
  if (asked_ && *asked_ == now) return;
  const Selection& selection = explorer.selection();
  ask(explorer, std::move(now), why_not_listed(explorer, selection.kernel().name, selection.why_invalid()));
}

void CodeListing::want(Explorer& explorer, const Experiment& experiment) {
  const CurrentSources& sources = explorer.kernels().sources();
  const auto source = sources.find(experiment.kernel);
  AskedExperiment now{experiment, source == sources.end() ? "" : source->second};
  if (asked_ && *asked_ == now) return;
  asked_point_ = nullptr;
  const KernelDeclaration* kernel = explorer.kernels().find(experiment.kernel);
  const std::string invalid =
      kernel == nullptr
          ? "The catalogue has no kernel '" + experiment.kernel + "'."
          : why_invalid(*kernel, experiment.parameters, experiment.shape, explorer.selection().device());
  ask(explorer, std::move(now), why_not_listed(explorer, experiment.kernel, invalid));
}

void CodeListing::want(Explorer& explorer, const Point& point) {
  if (asked_ && asked_point_ == point && kernels_revision_ == explorer.kernels().revision()) return;
  asked_point_ = point;
  kernels_revision_ = explorer.kernels().revision();
  AskedExperiment now{experiment_of(*point), point->provenance.source_sha256};
  const CurrentSources& current = explorer.kernels().sources();
  const auto here = current.find(point->kernel);
  const bool is_current = here != current.end() && here->second == now.source;
  if (const SourceFile* source = is_current ? nullptr : sources_.find(explorer, *point))
    now.experiment.source = *source;
  ask(explorer, std::move(now), why_not_listed(explorer, point->kernel, ""));
}

void CodeListing::ask(Explorer& explorer, AskedExperiment asked, MissingAnswer why_not) {
  asked_ = std::move(asked);
  ++last_request_;
  if (!why_not.heading.empty()) {
    explorer.jobs().cancel(tag_);
    return end(std::move(why_not), nullptr);
  }
  waits_ = true;
  if (!code_)
    missing_ = {"Compiling...", "The kernel is compiled and its machine code is read; no GPU is needed."};
  ++revision_;
  explorer.jobs().request<Listing>(tag_, {asked_->experiment},
                                   [this, alive = std::weak_ptr<bool>(alive_), request = last_request_,
                                    &explorer](Listing::Answer answer) {
                                     if (!alive.expired() && request == last_request_)
                                       take(explorer, std::move(answer));
                                   });
}

void CodeListing::take(Explorer& explorer, Listing::Answer answer) {
  explorer.draw_again();
  if (answer.status == Status::cancelled) {
    asked_.reset();  // it is asked for again
    waits_ = false;
    return;
  }
  MissingAnswer missing;
  if (answer.status != Status::ok) missing = why_failed("No machine code", answer.status, answer.reason);
  const bool has_text = answer.source || !answer.ptx.empty();
  if (!has_text) return end(std::move(missing), nullptr);
  link(explorer, std::move(answer), std::move(missing));
}

/// Long PTX takes longer to read than a frame may.
void CodeListing::link(Explorer& explorer, Listing::Answer answer, MissingAnswer missing) {
  auto code = std::make_shared<ListedCode>(ListedCode{asked_->experiment, std::move(answer), {}});
  background_.start([this, alive = std::weak_ptr<bool>(alive_), request = last_request_, code,
                     missing = std::move(missing), &explorer]() -> BackgroundTasks::Continuation {
    code->linked = LinkedListing(code->answer, "");
    return [this, alive, request, code, missing, &explorer] {
      if (alive.expired() || request != last_request_) return;
      end(missing, code);
      explorer.draw_again();
    };
  });
}

void CodeListing::end(MissingAnswer missing, std::shared_ptr<const ListedCode> code) {
  waits_ = false;
  missing_ = std::move(missing);
  code_ = std::move(code);
  ++revision_;
}

}  // namespace tilescope
