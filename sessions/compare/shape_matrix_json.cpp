#include "sessions/compare/shape_matrix_json.hpp"

#include "base/json_reader.hpp"

namespace tilescope {
namespace {

Json cell_json(const ShapeCell& cell) {
  const auto latency = [&](double us) { return cell.kind ? number_or_null(us) : Json(); };
  return {{"status", cell.point ? Json(to_string(cell.point->status)) : Json()},
          {"kind", cell.kind ? Json(to_string(*cell.kind)) : Json()},
          {"low_us", latency(cell.low_us)},
          {"p50_us", latency(cell.p50_us)},
          {"high_us", latency(cell.high_us)},
          {"ratio", value_or_null(cell.ratio)},
          {"is_best", cell.is_best},
          {"ties_with_best", cell.ties_with_best},
          {"why_not_ranked", text_or_null(cell.why_not_ranked)}};
}

Json row_json(const ShapeRow& row) {
  Json cells = Json::array();
  for (const ShapeCell& cell : row.cells) cells.push_back(cell_json(cell));
  return {{"kernel", row.kernel},
          {"parameters", configuration_to_json(row.parameters)},
          {"compiler", to_string(row.compiler)},
          {"cells", std::move(cells)},
          {"mean_regret", row.regret ? Json(row.regret->mean) : Json()},
          {"worst_regret", row.regret ? Json(row.regret->worst) : Json()},
          {"worst_shape", row.regret ? Json(row.regret->worst_column) : Json()},
          {"why_no_regret", text_or_null(row.why_no_regret)}};
}

}  // namespace

Json shape_matrix_to_json(const ShapeMatrix& matrix) {
  Json shapes = Json::array(), rows = Json::array();
  for (const ShapeColumn& column : matrix.columns) shapes.push_back(column.shape);
  for (const ShapeRow& row : matrix.rows) rows.push_back(row_json(row));
  return {{"device", matrix.device},
          {"shapes", std::move(shapes)},
          {"rows", std::move(rows)},
          {"notes", matrix.notes}};
}

}  // namespace tilescope
