#include "app/explorer/block_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

#include "app/explorer/explorer.hpp"
#include "profiler/requests/trace_window.hpp"
#include "profiler/views/access_sites.hpp"
#include "sessions/json_reader.hpp"

namespace tilescope {
namespace {

const std::string tag = "block trace";

// [B] Room for a million accesses: more than a block of any kernel of the ladder makes at 512 keys.
constexpr std::uint64_t byte_limit = std::uint64_t{64} << 20;
constexpr std::uint64_t most_accesses = std::uint64_t{1} << 20;

std::vector<std::uint32_t> worst_of_rows(const TracedBlock& traced) {
  const auto rank = [&](std::uint32_t site) {
    const SiteTotals& totals = traced.totals[site];
    return std::tuple(totals.excess(), totals.wavefronts);
  };
  std::vector<std::uint32_t> list;
  for (const AccessSiteRow& row : access_site_rows(memory_sites(traced), "")) {
    std::optional<std::uint32_t> best;
    for (std::uint32_t site = 0; site < traced.window.sites.size(); ++site) {
      if (!is_same_site(row, traced.window.sites[site])) continue;
      if (!best || rank(*best) < rank(site)) best = site;
    }
    if (best) list.push_back(*best);
  }
  return list;
}

void read_lists(const WindowSummary& summary, RecordedWindow& window) {
  at_place("sites", [&] { window.sites = read_list<WindowSite>(summary.sites); });
  at_place("instructions", [&] { window.instructions = read_list<LineExecutions>(summary.instructions); });
  at_place("arrays", [&] { window.arrays = read_list<NamedTile>(summary.arrays); });
  for (const WindowAccess& access : window.accesses) {
    if (access.site >= window.sites.size()) throw DocumentError("/sites", "an access has no site");
  }
}

// A wrong index function costs the layouts, not the block.
void read_tiles(const KernelDeclaration& kernel, const DeviceModel& device, TracedBlock& traced) {
  const Experiment& experiment = traced.experiment;
  try {
    traced.tiles = tile_ranges(kernel, experiment.parameters, experiment.shape, device);
  } catch (const DeclarationError& error) {
    traced.tiles_problem = error.what();
    traced.tiles = tile_places(kernel, experiment.parameters, experiment.shape, device);
  }
  for (TileRange& tile : traced.tiles) tile.offset += static_cast<std::int64_t>(traced.static_shared_bytes);
}

}  // namespace

/// A block whose pieces arrive. To read a million accesses takes longer than a frame: the pieces are read on the
/// client's thread and what they sum up to in the background, and nobody else looks at the block meanwhile.
struct BlockTrace::Arriving {
  std::shared_ptr<TracedBlock> traced = std::make_shared<TracedBlock>();
  // As declared when the block was asked for: the sliders may be elsewhere by now.
  KernelDeclaration kernel;
  DeviceModel device;
  // Why a piece cannot be read; "" where all can.
  std::string problem;

  void append(const Json& piece) {
    if (!problem.empty()) return;
    try {
      append_piece(traced->window, piece);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }

  void complete(const WindowSummary& summary) {
    if (!problem.empty()) return;
    try {
      traced->grid = summary.grid;
      traced->threads = summary.threads;
      traced->static_shared_bytes = summary.static_shared_bytes;
      traced->dynamic_shared_bytes = summary.dynamic_shared_bytes;
      read_lists(summary, traced->window);
      traced->window.matching = summary.matching;
      traced->window.truncated = summary.truncated || summary.sent < summary.matching;
      traced->window.findings = summary.findings;
      read_tiles(kernel, device, *traced);
      sum_up(*traced);
    } catch (const std::exception& error) {
      problem = error.what();
    }
  }
};

std::optional<std::uint32_t> TracedBlock::worst_site() const {
  return worst_first.empty() ? std::nullopt : std::optional(worst_first.front());
}

std::optional<std::uint32_t> TracedBlock::worst_site_of_line(std::uint32_t line,
                                                             const std::string& inlined_place) const {
  std::optional<std::uint32_t> of_line;
  for (const std::uint32_t site : worst_first) {
    if (window.sites[site].line != line) continue;
    if (inlined_place.empty() || accessing_place(window.sites[site].inlined) == inlined_place) return site;
    if (!of_line) of_line = site;
  }
  return of_line;
}

void sum_up(TracedBlock& traced) {
  const RecordedWindow& window = traced.window;
  traced.totals.assign(window.sites.size(), {});
  traced.accesses_of.assign(window.sites.size(), {});
  for (std::size_t i = 0; i < window.accesses.size(); ++i) {
    const WindowAccess& access = window.accesses[i];
    SiteTotals& totals = traced.totals[access.site];
    const auto excess = static_cast<std::uint32_t>(access.wavefronts - access.minimum);
    if (excess > totals.most_excess) {
      totals.most_excess = excess;
      totals.worst_execution = static_cast<std::size_t>(totals.executions);
    }
    totals.executions += 1;
    totals.lanes += static_cast<std::uint64_t>(std::popcount(window.patterns[access.pattern].lanes));
    totals.wavefronts += access.wavefronts;
    totals.minimum += access.minimum;
    totals.worst_degree = std::max<std::uint32_t>(totals.worst_degree, access.degree);
    traced.accesses_of[access.site].push_back(static_cast<std::uint32_t>(i));
  }
  const auto shared_bytes = static_cast<std::int64_t>(traced.shared_bytes());
  traced.words = count_words(window, (shared_bytes + bank_word_bytes - 1) / bank_word_bytes);
  traced.worst_first = worst_of_rows(traced);
}

std::vector<MemorySite> memory_sites(const TracedBlock& traced) {
  std::vector<MemorySite> sites;
  for (std::size_t i = 0; i < traced.window.sites.size(); ++i) {
    const WindowSite& site = traced.window.sites[i];
    const SiteTotals& totals = traced.totals[i];
    MemorySite& sum = sites.emplace_back();
    sum.line = site.line;
    sum.ptx_line = site.ptx_line;
    sum.address = site.address;
    sum.inlined = site.inlined;
    sum.operation = site.operation;
    sum.width_bytes = site.width_bytes;
    sum.tile = site.tile;
    sum.instruction = site.instruction;
    sum.executions = static_cast<std::int64_t>(totals.executions);
    sum.lanes = static_cast<std::int64_t>(totals.lanes);
    sum.wavefronts = static_cast<std::int64_t>(totals.wavefronts);
    sum.minimum = static_cast<std::int64_t>(totals.minimum);
    sum.conflicts = static_cast<std::int64_t>(totals.excess());
    sum.worst_degree = totals.worst_degree;
  }
  return sites;
}

void BlockTrace::want(Explorer& explorer) {
  AskedExperiment now = under_sliders(explorer);
  if (asked_ && *asked_ == now && asked_block_ == chosen_) return;
  asked_ = std::move(now);
  asked_block_ = chosen_;
  ++last_request_;
  MissingAnswer why_not = why_not_interpreted(explorer);
  if (!why_not.heading.empty()) {
    explorer.jobs().cancel(tag);
    return end(std::move(why_not));
  }
  ask(explorer);
}

void BlockTrace::ask(Explorer& explorer) {
  waits_ = true;
  if (!block_)
    missing_ = {"Tracing one block...", "The kernel is compiled and interpreted; no GPU is needed."};
  ++revision_;
  const auto arriving = std::make_shared<Arriving>();
  arriving->kernel = explorer.selection().kernel();
  arriving->device = explorer.selection().device();
  arriving->traced->experiment = asked_->experiment;
  arriving->traced->block = asked_block_;
  TraceWindow::Params params{asked_->experiment, {}};
  params.selection.block = asked_block_;
  params.selection.global = true;
  params.selection.count = most_accesses;
  params.selection.byte_limit = byte_limit;
  explorer.jobs().request<TraceWindow>(
      tag, params,
      [this, alive = std::weak_ptr<bool>(alive_), request = last_request_, arriving,
       &explorer](WindowSummary summary) {
        if (!alive.expired() && request == last_request_) take(explorer, arriving, std::move(summary));
      },
      [arriving](const Json& piece) { arriving->append(piece); });
}

void BlockTrace::take(Explorer& explorer, const std::shared_ptr<Arriving>& arriving, WindowSummary summary) {
  explorer.draw_again();
  if (summary.status == Status::cancelled) {
    asked_.reset();  // for something newer, or because the worker ended: it is asked for again
    waits_ = false;
    return;
  }
  if (summary.status != Status::ok) {
    const std::uint64_t blocks = summary.grid[0] * summary.grid[1] * summary.grid[2];
    if (asked_block_ != 0 && (summary.status == Status::launch_failed || asked_block_ >= blocks)) {
      chosen_ = 0;  // a smaller grid does not have the block any more
      asked_.reset();
      waits_ = false;
      return;
    }
    return end(why_failed("The block was not traced", summary.status, summary.reason));
  }
  background_.start([this, alive = std::weak_ptr<bool>(alive_), request = last_request_, arriving,
                     summary = std::move(summary), &explorer]() -> BackgroundTasks::Continuation {
    arriving->complete(summary);
    return [this, alive, request, arriving, &explorer] {
      if (alive.expired() || request != last_request_) return;
      explorer.draw_again();
      if (!arriving->problem.empty()) return end({"The traced block cannot be read", arriving->problem});
      end({}, arriving->traced);
    };
  });
}

void BlockTrace::end(MissingAnswer missing, std::shared_ptr<const TracedBlock> block) {
  waits_ = false;
  missing_ = std::move(missing);
  block_ = std::move(block);
  ++revision_;
}

}  // namespace tilescope
