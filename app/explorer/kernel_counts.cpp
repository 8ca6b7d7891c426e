#include "app/explorer/kernel_counts.hpp"

#include <utility>

#include "app/explorer/explorer.hpp"
#include "profiler/requests/trace.hpp"

namespace tilescope {
namespace {

const std::string tag = "kernel counts";

}  // namespace

void KernelCounts::want(Explorer& explorer) {
  AskedExperiment now = under_sliders(explorer);
  if (!asked_ || *asked_ != now) begin(explorer, std::move(now));
  // The point and the traced block come first: they are what a person waits for.
  if (!waits_ || is_sent_ || explorer.jobs().measuring() || explorer.block_trace().waits()) return;
  send(explorer);
}

// From now on counts() is that of another configuration, and a request that runs delays what is asked for now.
void KernelCounts::begin(Explorer& explorer, AskedExperiment asked) {
  asked_ = std::move(asked);
  ++last_request_;
  is_sent_ = false;
  explorer.jobs().cancel(tag);
  MissingAnswer why_not = why_not_interpreted(explorer);
  if (!why_not.heading.empty()) return end(std::move(why_not));
  waits_ = true;
  if (!counts_) missing_ = {"Counting...", "The kernel is compiled and interpreted; no GPU is needed."};
  ++revision_;
}

void KernelCounts::send(Explorer& explorer) {
  is_sent_ = true;
  explorer.jobs().request<Trace>(
      tag, {asked_->experiment, {}},
      [this, alive = std::weak_ptr<bool>(alive_), request = last_request_, &explorer](Measurement answer) {
        if (alive.expired() || request != last_request_) return;
        take(explorer, std::make_shared<const Measurement>(std::move(answer)));
      });
}

void KernelCounts::take(Explorer& explorer, const Point& point) {
  explorer.draw_again();
  if (point->status == Status::cancelled) {
    asked_.reset();  // it is asked for again
    waits_ = false;
    return;
  }
  // Counts of an incorrect kernel are as real as those of a correct one.
  if (point->memory) return end({}, point);
  end(why_failed("The kernel was not counted", point->status, point->reason));
}

void KernelCounts::end(MissingAnswer missing, Point counts) {
  waits_ = false;
  missing_ = std::move(missing);
  counts_ = std::move(counts);
  ++revision_;
}

}  // namespace tilescope
