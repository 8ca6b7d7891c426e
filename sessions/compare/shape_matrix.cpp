#include "sessions/compare/shape_matrix.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/metrics/registry.hpp"
#include "sessions/prediction_error.hpp"
#include "sessions/shared_measurement.hpp"
#include "sessions/trust.hpp"
#include "sessions/views/points/ties.hpp"

namespace tilescope {
namespace {

bool has_latency(const Measurement& point) {
  return point.latency && point.latency->p50_us > 0;
}

/// Which of two points of one experiment says more.
int weight_of(const Measurement& point) {
  if (point.status != Status::ok) return 0;
  if (has_latency(point)) return 3;
  return has_prediction(point) ? 2 : 1;
}

bool replaces(const Measurement& later, const Measurement& earlier) {
  if (is_about_the_kernel(later.status)) return true;
  if (is_about_the_kernel(earlier.status)) return later.status == Status::ok;
  return weight_of(later) >= weight_of(earlier);
}

ShapeCell cell_of(const SharedMeasurement& point) {
  ShapeCell cell;
  cell.point = point;
  cell.why_not_ranked = "no point";
  if (!point) return cell;
  cell.why_not_ranked = status_words(*point);
  if (point->status != Status::ok) return cell;
  cell.why_not_ranked = "no latency";
  if (has_latency(*point)) {
    const Latency& latency = *point->latency;
    cell.kind = latency.kind == LatencyKind::recorded ? LadderKind::recorded : LadderKind::measured;
    cell.low_us = latency.p10_us;
    cell.p50_us = latency.p50_us;
    cell.high_us = latency.p90_us;
    cell.why_not_ranked = times_part_of_attention(*point) ? "part of attention" : "";
  } else if (has_prediction(*point)) {
    const Prediction& prediction = *point->prediction;
    cell.kind = LadderKind::predicted;
    cell.low_us = prediction.low_us;
    cell.p50_us = prediction.p50_us;
    cell.high_us = prediction.high_us;
    cell.why_not_ranked = "";
  }
  return cell;
}

bool can_be_ranked(const ShapeCell& cell) {
  return cell.why_not_ranked.empty();
}

bool is_prediction(const ShapeCell& cell) {
  return cell.kind == LadderKind::predicted;
}

/// The cells of a column that are ranked. Predictions are left out where something was timed.
std::vector<ShapeCell*> ranked_cells(std::vector<ShapeRow>& rows, std::size_t column) {
  std::vector<ShapeCell*> cells;
  for (ShapeRow& row : rows) {
    if (can_be_ranked(row.cells[column])) cells.push_back(&row.cells[column]);
  }
  if (std::ranges::all_of(cells, [](const ShapeCell* cell) { return is_prediction(*cell); })) return cells;
  for (ShapeCell* cell : cells) {
    if (is_prediction(*cell)) cell->why_not_ranked = "predicted, others were timed";
  }
  std::erase_if(cells, [](const ShapeCell* cell) { return is_prediction(*cell); });
  return cells;
}

/// Whether a comparison of two latencies of one kind leaves their order open.
bool are_tied(const ShapeCell& cell, const ShapeCell& best) {
  return are_tied(metric_of(is_prediction(cell) ? "predicted_p50" : "p50"), *cell.point, *best.point);
}

void rank_column(ShapeMatrix& matrix, std::size_t at) {
  const std::vector<ShapeCell*> cells = ranked_cells(matrix.rows, at);
  ShapeColumn& column = matrix.columns[at];
  column.ranked = cells.size();
  if (cells.empty()) return;
  column.is_predicted = is_prediction(*cells.front());
  ShapeCell& best = **std::ranges::min_element(cells, {}, &ShapeCell::p50_us);
  best.is_best = true;
  for (ShapeCell* cell : cells) {
    cell->ratio = cell->p50_us / best.p50_us;
    cell->ties_with_best = cell != &best && are_tied(*cell, best);
  }
}

std::string missing_words(const std::vector<ShapeColumn>& columns, const std::vector<std::size_t>& missing) {
  const std::string first = to_string(columns[missing.front()].shape);
  if (missing.size() == 1) return "It has no ranked latency at " + first + ".";
  return "It has no ranked latency at " + std::to_string(missing.size()) + " of " +
         std::to_string(columns.size()) + " shapes, such as " + first + ".";
}

void judge_row(ShapeRow& row, const std::vector<ShapeColumn>& columns) {
  std::vector<std::size_t> missing;
  Regret regret;
  double sum = 0;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].counts()) continue;
    if (!row.cells[i].ratio) {
      missing.push_back(i);
      continue;
    }
    const double excess = *row.cells[i].ratio - 1;
    if (counted == 0 || excess > regret.worst) {
      regret.worst = excess;
      regret.worst_column = i;
    }
    sum += excess;
    ++counted;
  }
  if (!missing.empty()) {
    row.why_no_regret = missing_words(columns, missing);
  } else if (counted == 0) {
    row.why_no_regret = "No shape has a latency that can be ranked.";
  } else {
    regret.mean = sum / static_cast<double>(counted);
    row.regret = regret;
  }
}

void order_rows(std::vector<ShapeRow>& rows) {
  const auto key = [](const ShapeRow& row) {
    const auto unranked = std::ranges::count_if(row.cells, [](const ShapeCell& cell) { return !cell.ratio; });
    if (!row.regret) return std::tuple(true, 0.0, 0.0, unranked);
    return std::tuple(false, row.regret->worst, row.regret->mean, unranked);
  };
  std::ranges::stable_sort(rows, {}, key);
}

/// The parameters in which the rows of a kernel differ.
std::set<std::string> varied_parameters(const std::vector<ShapeRow>& rows, const std::string& kernel) {
  std::set<std::string> varied;
  const ShapeRow* first = nullptr;
  for (const ShapeRow& row : rows) {
    if (row.kernel != kernel) continue;
    if (first == nullptr) first = &row;
    for (const Configuration* side : {&row.parameters, &first->parameters}) {
      const Configuration& other = side == &row.parameters ? first->parameters : row.parameters;
      for (const auto& [name, value] : *side) {
        const auto same = other.find(name);
        if (same == other.end() || same->second != value) varied.insert(name);
      }
    }
  }
  return varied;
}

void name_rows(std::vector<ShapeRow>& rows) {
  std::map<std::string, std::set<std::string>> varied;
  std::set<KernelCompiler> compilers;
  for (const ShapeRow& row : rows) {
    if (!varied.contains(row.kernel)) varied[row.kernel] = varied_parameters(rows, row.kernel);
    compilers.insert(row.compiler);
  }
  for (ShapeRow& row : rows) {
    Configuration own;
    for (const std::string& name : varied[row.kernel]) {
      if (const auto value = row.parameters.find(name); value != row.parameters.end()) own.insert(*value);
    }
    row.name = to_string(own);
    if (row.name.empty() || varied.size() > 1) row.name = row.kernel + (own.empty() ? "" : " " + row.name);
    if (compilers.size() > 1) row.name += " " + proper_name(row.compiler);
  }
}

/// "B1 H8 S512 D64 fp16", "3 shapes".
std::string shapes_words(const ShapeMatrix& matrix, const std::vector<std::size_t>& columns) {
  return columns.size() == 1 ? to_string(matrix.columns[columns.front()].shape)
                             : std::to_string(columns.size()) + " shapes";
}

std::vector<std::size_t> columns_where(const ShapeMatrix& matrix, const auto& holds) {
  std::vector<std::size_t> columns;
  for (std::size_t i = 0; i < matrix.columns.size(); ++i) {
    if (holds(i)) columns.push_back(i);
  }
  return columns;
}

bool has_kind(const ShapeMatrix& matrix, std::size_t column, LadderKind kind) {
  return std::ranges::any_of(matrix.rows,
                             [&](const ShapeRow& row) { return row.cells[column].kind == kind; });
}

void note_kinds(ShapeMatrix& matrix) {
  const auto predicted = columns_where(
      matrix, [&](std::size_t i) { return matrix.columns[i].counts() && matrix.columns[i].is_predicted; });
  const auto counting = columns_where(matrix, [&](std::size_t i) { return matrix.columns[i].counts(); });
  if (!predicted.empty() && predicted.size() == counting.size()) {
    matrix.notes.push_back("The latencies are predicted, not measured.");
  } else if (!predicted.empty()) {
    matrix.notes.push_back(
        "At " + shapes_words(matrix, predicted) +
        " all latencies are predicted, at the others they were timed: a regret is over both.");
  }
  const auto mixed = columns_where(matrix, [&](std::size_t i) {
    return matrix.columns[i].counts() && !matrix.columns[i].is_predicted &&
           has_kind(matrix, i, LadderKind::predicted);
  });
  if (!mixed.empty()) {
    matrix.notes.push_back("At " + shapes_words(matrix, mixed) +
                           " predicted latencies stand beside timed ones: they are shown and not ranked.");
  }
  const auto recorded = columns_where(matrix, [&](std::size_t i) {
    return has_kind(matrix, i, LadderKind::measured) && has_kind(matrix, i, LadderKind::recorded);
  });
  if (!recorded.empty()) {
    matrix.notes.push_back("At " + shapes_words(matrix, recorded) +
                           " measured and recorded latencies are ranked together.");
  }
}

/// A row whose points are of several sources of its kernel compares more than shapes.
bool has_several_sources(const ShapeRow& row) {
  std::set<std::string> sources;
  for (const ShapeCell& cell : row.cells) {
    if (cell.point && !cell.point->provenance.source_sha256.empty())
      sources.insert(cell.point->provenance.source_sha256);
  }
  return sources.size() > 1;
}

void note_what_is_missing(ShapeMatrix& matrix) {
  const auto empty = columns_where(matrix, [&](std::size_t i) { return !matrix.columns[i].counts(); });
  if (!empty.empty() && empty.size() < matrix.columns.size()) {
    matrix.notes.push_back("At " + shapes_words(matrix, empty) +
                           " no latency can be ranked: no regret counts them.");
  }
  const auto without =
      std::ranges::count_if(matrix.rows, [](const ShapeRow& row) { return !row.regret.has_value(); });
  if (without > 0) {
    matrix.notes.push_back(std::to_string(without) + " of " + std::to_string(matrix.rows.size()) +
                           " rows have no regret: they lack a ranked latency at one shape or more.");
  }
  if (matrix.rows.size() == 1) matrix.notes.push_back("There is one row alone: it is the best everywhere.");
  const auto mixed = std::ranges::count_if(matrix.rows, has_several_sources);
  if (mixed > 0) {
    matrix.notes.push_back(std::to_string(mixed) + " of " + std::to_string(matrix.rows.size()) +
                           " rows have points of several versions of the kernel's source.");
  }
}

void note_distrust(ShapeMatrix& matrix) {
  std::size_t count = 0;
  for (const ShapeRow& row : matrix.rows) {
    count += static_cast<std::size_t>(std::ranges::count_if(row.cells, [](const ShapeCell& cell) {
      return cell.ratio && !is_prediction(cell) && !distrust_word(*cell.point).empty();
    }));
  }
  if (count == 0) return;
  matrix.notes.push_back(std::to_string(count) +
                         (count == 1 ? " ranked latency is" : " ranked latencies are") +
                         " not to be trusted: the cells say why.");
}

std::vector<Shape> shapes_of(const PointList& points) {
  std::vector<Shape> shapes;
  for (const SharedMeasurement& point : points) {
    if (!point->arguments && std::ranges::find(shapes, point->shape) == shapes.end())
      shapes.push_back(point->shape);
  }
  return shapes;
}

/// The points of one device by row and shape.
class MatrixBuilder {
 public:
  MatrixBuilder(const std::string& device, const std::vector<Shape>& shapes) {
    matrix_.device = device;
    matrix_.columns.reserve(shapes.size());
    for (const Shape& shape : shapes) {
      places_.emplace(shape, matrix_.columns.size());
      matrix_.columns.push_back({shape});
    }
  }

  void add(const SharedMeasurement& point) {
    const auto place = places_.find(point->shape);
    if (place == places_.end() || point->arguments) return;
    SharedMeasurement& kept = points_of_row(*point)[place->second];
    if (!kept || replaces(*point, *kept)) kept = point;
  }

  ShapeMatrix take() {
    for (std::size_t i = 0; i < points_.size(); ++i) {
      for (const SharedMeasurement& point : points_[i]) matrix_.rows[i].cells.push_back(cell_of(point));
    }
    for (std::size_t i = 0; i < matrix_.columns.size(); ++i) rank_column(matrix_, i);
    for (ShapeRow& row : matrix_.rows) judge_row(row, matrix_.columns);
    name_rows(matrix_.rows);
    order_rows(matrix_.rows);
    note_kinds(matrix_);
    note_what_is_missing(matrix_);
    note_distrust(matrix_);
    return std::move(matrix_);
  }

 private:
  using RowKey = std::tuple<std::string, Configuration, KernelCompiler>;

  std::vector<SharedMeasurement>& points_of_row(const Measurement& point) {
    const KernelCompiler compiler = point.provenance.compiler;
    const auto [row, is_new] =
        rows_.emplace(RowKey(point.kernel, point.parameters, compiler), points_.size());
    if (is_new) {
      points_.emplace_back(matrix_.columns.size());
      ShapeRow& added = matrix_.rows.emplace_back();
      added.kernel = point.kernel;
      added.parameters = point.parameters;
      added.compiler = compiler;
    }
    return points_[row->second];
  }

  ShapeMatrix matrix_;
  std::map<Shape, std::size_t> places_;
  std::map<RowKey, std::size_t> rows_;
  /// By row and column.
  std::vector<std::vector<SharedMeasurement>> points_;
};

}  // namespace

std::vector<ShapeMatrix> shape_matrices(const PointList& points, const std::vector<Shape>& shapes) {
  const std::vector<Shape> columns = shapes.empty() ? shapes_of(points) : shapes;
  std::vector<std::string> devices;
  std::map<std::string, MatrixBuilder> builders;
  for (const SharedMeasurement& point : points) {
    if (point->status == Status::cancelled) continue;
    const std::string& device = point->device.name;
    if (!builders.contains(device)) devices.push_back(device);
    builders.try_emplace(device, device, columns).first->second.add(point);
  }
  std::vector<ShapeMatrix> matrices;
  for (const std::string& device : devices) {
    ShapeMatrix matrix = builders.at(device).take();
    if (!matrix.rows.empty()) matrices.push_back(std::move(matrix));
  }
  return matrices;
}

}  // namespace tilescope
