#include "profiler/explanation/occupancy/occupancy_map.hpp"

#include <utility>

#include "base/text/csv.hpp"
#include "base/text/format.hpp"
#include "sessions/views/occupancy/occupancy_series.hpp"

namespace tilescope {

namespace {

using State = OccupancyMapCell::State;

std::string tail_words(const Occupancy& occupancy) {
  return occupancy.tail_fraction ? "last wave " + format_number(*occupancy.tail_fraction * 100, 0) + " %"
                                 : "";
}

/// 1.10, 12.4, 128: three digits.
std::string wave_count(double waves) {
  return format_number(waves, waves < 9.995 ? 2 : waves < 99.95 ? 1 : 0);
}

std::vector<std::string> lines_of(const OccupancyMapCell& cell) {
  const bool bound = cell.state == State::bound;
  std::vector<std::string> lines{(bound ? "≤ " : "") + format_percent(cell.occupancy.fraction),
                                 (bound ? "≥ " : "") + wave_count(cell.occupancy.waves) + " waves"};
  const std::string tail = tail_words(cell.occupancy);
  // How full the last wave is depends on how many blocks really fit.
  if (!bound && !tail.empty()) lines.push_back(tail);
  return lines;
}

/// Without a compiler's report: no register and no static shared memory is known to be needed.
BlockNeeds least_needs(const LaunchGeometry& geometry) {
  BlockNeeds needs;
  needs.geometry = geometry;
  needs.resources.registers = smallest_amount(BlockQuantity::registers);
  needs.resources.dynamic_shared_bytes = geometry.dynamic_shared_bytes;
  return needs;
}

void fill(OccupancyMapCell& cell, const OccupancyMapInput& input, const std::optional<Resources>& known) {
  BlockNeeds needs =
      least_needs(launch_geometry(input.kernel, cell.configuration, input.shape, input.device));
  cell.state = known ? State::exact : State::bound;
  if (known) {
    needs.resources = *known;
    cell.registers = known->registers;
  }
  cell.threads = needs.geometry.threads;
  cell.shared_bytes = needs.amount(BlockQuantity::shared_memory);
  cell.occupancy = occupancy_of(input.device, needs);
  if (cell.occupancy.blocks_per_sm == 0) {
    cell.state = State::invalid;
    cell.reason = "The block does not fit on an SM of " + input.device.name + ": it exceeds the SM's " +
                  resource_words(cell.occupancy.limiter) + ".";
    return;
  }
  cell.lines = lines_of(cell);
}

OccupancyMapCell make_cell(const OccupancyMapInput& input, Configuration configuration,
                           const KnownResources& known) {
  OccupancyMapCell cell;
  cell.configuration = std::move(configuration);
  cell.reason = why_invalid(input.kernel, cell.configuration, input.shape, input.device);
  if (!cell.reason.empty()) {
    cell.state = State::invalid;
    return cell;
  }
  try {
    fill(cell, input, known(cell.configuration));
  } catch (
      const std::exception& error) {  // An expression, or the calculator, rejects what the constraints allow.
    cell.state = State::invalid;
    cell.reason = error.what();
  }
  return cell;
}

void count(const OccupancyMapCell& cell, OccupancyMapView& view) {
  switch (cell.state) {
    case State::exact:
      ++view.exact;
      break;
    case State::bound:
      ++view.bounds;
      break;
    case State::invalid:
      ++view.invalid;
      break;
  }
}

const char* state_word(State state) {
  switch (state) {
    case State::exact:
      return "exact";
    case State::bound:
      return "bound";
    case State::invalid:
      return "invalid";
  }
  return "";
}

}  // namespace

OccupancyMapView occupancy_map(const OccupancyMapInput& input, const ValueAxis& x, const ValueAxis& y,
                               const KnownResources& known) {
  OccupancyMapView view;
  view.x = x;
  view.y = y;
  view.cells.reserve(x.values.size() * y.values.size());
  for (const ParameterValue& row : y.values) {
    for (const ParameterValue& column : x.values) {
      Configuration configuration = input.configuration;
      configuration[y.name] = row;
      configuration[x.name] = column;
      if (configuration == input.configuration) view.current = view.cells.size();
      view.cells.push_back(make_cell(input, std::move(configuration), known));
      count(view.cells.back(), view);
    }
  }
  return view;
}

std::string map_sentence(const OccupancyMapView& view) {
  const auto cells = [](std::size_t number) {
    return format_count(static_cast<std::int64_t>(number)) + (number == 1 ? " cell is " : " cells are ");
  };
  std::string text =
      view.exact == 0 ? "no cell is compiled yet." : cells(view.exact) + "exact: compiled, registers known.";
  if (view.bounds > 0) {
    text +=
        " " + cells(view.bounds) + (view.bounds == 1 ? "a bound" : "bounds") +
        " from threads, shared memory and the block limit alone: registers are unknown until compiled, and "
        "may allow less.";
  }
  return text;
}

std::vector<TextPair> cell_tooltip(const OccupancyMapCell& cell) {
  if (cell.state == State::invalid) return {{"invalid", cell.reason}};
  const bool bound = cell.state == State::bound;
  const Occupancy& occupancy = cell.occupancy;
  const std::string at_most = bound ? "at most " : "";
  std::vector<TextPair> lines{
      {"occupancy", at_most + format_percent(occupancy.fraction)},
      {"blocks per SM", at_most + format_count(occupancy.blocks_per_sm)},
      {"warps per SM", at_most + format_count(occupancy.warps_per_sm)},
      {"limiter", bound ? limited_words(occupancy) + ", or by registers" : limited_words(occupancy)},
      {"waves", (bound ? "at least " : "") + wave_count(occupancy.waves)}};
  if (!bound && occupancy.tail_fraction)
    lines.emplace_back("last wave", format_percent(*occupancy.tail_fraction) + " full");
  if (occupancy.grid_blocks) lines.emplace_back("grid", count_blocks(*occupancy.grid_blocks));
  lines.emplace_back("registers", cell.registers ? format_count(*cell.registers) + " per thread"
                                                 : "unknown: not compiled yet");
  lines.emplace_back("shared memory",
                     format_bytes(cell.shared_bytes) + " per block" + (bound ? ", dynamic" : ""));
  lines.emplace_back("threads", format_count(cell.threads) + " per block");
  return lines;
}

std::string occupancy_map_csv(const OccupancyMapView& view) {
  CsvText csv;
  csv.add({view.y.name, view.x.name, "state", "blocks per SM", "warps per SM", "occupancy [%]", "limiter",
           "waves", "tail [%]", "registers", "shared memory [B]", "threads", "reason"});
  for (std::size_t i = 0; i < view.cells.size(); ++i) {
    const OccupancyMapCell& cell = view.cells[i];
    std::vector<std::string> fields{view.y.labels[i / view.x.labels.size()],
                                    view.x.labels[i % view.x.labels.size()], state_word(cell.state)};
    if (cell.state == State::invalid) {
      fields.resize(12);
    } else {
      const Occupancy& occupancy = cell.occupancy;
      const bool exact = cell.state == State::exact;
      const auto tail =
          exact && occupancy.tail_fraction ? std::optional(*occupancy.tail_fraction * 100) : std::nullopt;
      for (const std::string& field : std::vector<std::string>{
               std::to_string(occupancy.blocks_per_sm), std::to_string(occupancy.warps_per_sm),
               csv_number(occupancy.fraction * 100), limiter_words(occupancy), csv_number(occupancy.waves),
               csv_number(tail), cell.registers ? std::to_string(*cell.registers) : "",
               std::to_string(cell.shared_bytes), std::to_string(cell.threads)})
        fields.push_back(field);
    }
    fields.push_back(cell.reason);
    csv.add(fields);
  }
  return csv.text();
}

bool compiles_alike(const Shape& a, const Shape& b) {
  return a.D == b.D && a.dtype == b.dtype && a.causal == b.causal;
}

}  // namespace tilescope
