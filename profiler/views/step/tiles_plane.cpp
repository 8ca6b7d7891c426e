#include "profiler/views/step/tiles_plane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>
#include <variant>

#include "base/text/format.hpp"
#include "profiler/views/memory/number_lists.hpp"

namespace tilescope {

namespace {

using State = TileCell::State;

std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

std::int64_t number_of(const Configuration& configuration, const std::string& parameter) {
  const auto found = configuration.find(parameter);
  if (found == configuration.end()) return 0;
  const auto* const number = std::get_if<std::int64_t>(&found->second);
  return number == nullptr ? 0 : *number;
}

// "K 0" and "K and V" hold rows of K.
bool is_named_after(const TileStop& tile, const std::string& tensor) {
  return tile.name == tensor || tile.name.starts_with(tensor + " ") || tile.name.starts_with(tensor + "_");
}

std::int64_t declared_rows(const StepStop& stop, const std::string& tensor) {
  for (const TileStop& tile : stop.tiles) {
    if (is_named_after(tile, tensor) && !tile.rows.empty())
      return static_cast<std::int64_t>(tile.rows.size());
  }
  return 0;
}

std::vector<IndexRange> tiles_of(std::int64_t length, std::int64_t tile) {
  std::vector<IndexRange> ranges;
  ranges.reserve(static_cast<std::size_t>(ceil_div(length, tile)));
  for (std::int64_t first = 0; first < length; first += tile)
    ranges.push_back({first, std::min(tile, length - first)});
  return ranges;
}

// At most `count` of `length` with `centre` among them: the first and the end.
std::pair<std::size_t, std::size_t> window_around(std::size_t centre, std::size_t length, std::size_t count) {
  if (length <= count) return {0, length};
  const std::size_t first = std::min(centre - std::min(centre, count / 2), length - count);
  return {first, first + count};
}

// How the grid counts query tiles.
struct GridOrder {
  bool is_known = false;
  std::int64_t tile = 0, head = 0, batch = 0;
  /// First block: the one of query tile 0 of the same head. Stride: from one query tile to the next.
  std::uint64_t first_block = 0, stride = 1;
};

GridOrder grid_order(const TilesSubject& subject, const StepStop& stop, std::int64_t query_tiles) {
  const Shape& shape = subject.shape;
  const auto tiles = static_cast<std::uint64_t>(query_tiles);
  const auto heads = static_cast<std::uint64_t>(shape.Hq);
  const auto batches = static_cast<std::uint64_t>(shape.B);
  const std::uint64_t x = subject.block % stop.grid[0];
  const std::uint64_t rest = subject.block / stop.grid[0];
  GridOrder order;
  std::uint64_t tile = 0, head = 0;
  // With one head, an order of the kernel's own looks like the plain one.
  const bool may_be_own_order = shape.causal && heads * batches == 1 && !subject.has_plain_grid;
  if (!may_be_own_order && stop.grid[0] % tiles == 0 && stop.grid[1] == heads && stop.grid[2] == batches &&
      (stop.grid[0] == tiles || subject.has_groups)) {
    order.stride = stop.grid[0] / tiles;
    tile = x / order.stride;
    head = rest;
    order.first_block = rest * stop.grid[0];
  } else if (stop.grid[0] == tiles * heads * batches && stop.grid[1] * stop.grid[2] == 1 && !shape.causal) {
    // With a causal mask kernels take the longest rows first, each in its own order.
    tile = x % tiles;
    head = x / tiles;
    order.first_block = head * tiles;
  } else {
    return order;
  }
  order.is_known = true;
  order.tile = static_cast<std::int64_t>(tile);
  order.head = static_cast<std::int64_t>(head % heads);
  order.batch = static_cast<std::int64_t>(head / heads);
  return order;
}

// The rows of Q that lie in shared memory, first to last.
std::optional<IndexRange> found_rows(const StepStop& stop) {
  std::int64_t first = -1, last = -1;
  for (const TileStop& tile : stop.tiles) {
    for (const TileRowStop& row : tile.rows) {
      if (row.tensor != "Q" || row.row < 0) continue;
      first = first < 0 ? row.row : std::min(first, row.row);
      last = std::max(last, row.row);
    }
  }
  if (first < 0) return std::nullopt;
  return IndexRange{first, last - first + 1};
}

std::int64_t rows_of_a_tile(const TilesSubject& subject, const StepStop& stop) {
  if (subject.block_m > 0) return subject.block_m;
  if (const std::int64_t rows = declared_rows(stop, "Q"); rows > 0) return rows;
  if (!subject.probed_rows.empty()) return subject.probed_rows.back() - subject.probed_rows.front() + 1;
  if (stop.grid[0] == static_cast<std::uint64_t>(subject.shape.Sq)) return 1;
  return subject.shape.Sq;
}

std::int64_t keys_of_a_tile(const TilesSubject& subject, const StepStop& stop,
                            const std::vector<StepMark>& marks) {
  if (subject.block_n > 0) return subject.block_n;
  std::int64_t keys = 0;
  for (const StepMark& mark : marks) keys = std::max(keys, mark.number < 0 ? 0 : mark.keys);
  if (keys == 0) keys = declared_rows(stop, "K");
  return keys > 0 ? keys : subject.shape.Sk;
}

std::size_t index_at(const std::vector<IndexRange>& ranges, std::int64_t place) {
  const auto next =
      std::upper_bound(ranges.begin(), ranges.end(), place,
                       [](std::int64_t value, const IndexRange& range) { return value < range.first; });
  return next == ranges.begin() ? 0 : static_cast<std::size_t>(next - ranges.begin()) - 1;
}

// The tiles of the query rows that the block works on, where a block of a persistent grid takes several one after the
// other: those between two returns to the first keys.
struct Marks {
  std::vector<StepMark> all;
  /// Into `all`.
  std::size_t first = 0, end = 0;
  /// Begun: into `all`, from 0.
  std::size_t begun = 0;
  /// Whether the keys are those that the kernel names, or assumed.
  bool are_named = false, are_assumed = false;

  bool have_keys() const { return are_named || are_assumed; }
};

bool is_persistent(const TilesSubject& subject, const StepStop& stop, std::int64_t query_tiles) {
  const std::uint64_t blocks = stop.grid[0] * stop.grid[1] * stop.grid[2];
  return static_cast<std::int64_t>(blocks) < query_tiles * subject.shape.Hq * subject.shape.B;
}

void take_round(Marks& marks) {
  const std::size_t now = marks.begun == 0 ? 0 : marks.begun - 1;
  const auto returns = [&](std::size_t i) { return marks.all[i].number <= marks.all[i - 1].number; };
  marks.first = now;
  while (marks.first > 0 && !returns(marks.first)) --marks.first;
  marks.end = std::min(now + 1, marks.all.size());
  while (marks.end < marks.all.size() && !returns(marks.end)) ++marks.end;
}

class PlaneMaker {
 public:
  PlaneMaker(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline)
      : subject_(subject), stop_(stop) {
    if (timeline != nullptr) marks_.all = timeline->tiles;
    has_timeline_ = timeline != nullptr;
  }

  TilesPlane make() {
    const std::int64_t row_count = rows_of_a_tile(subject_, stop_);
    all_rows_ = tiles_of(subject_.shape.Sq, row_count);
    all_keys_ = tiles_of(subject_.shape.Sk, keys_of_a_tile(subject_, stop_, marks_.all));
    order_ = grid_order(subject_, stop_, static_cast<std::int64_t>(all_rows_.size()));
    find_row();
    take_marks();
    choose_window();
    fill_cells();
    note_faults();
    return std::move(plane_);
  }

 private:
  void find_row();
  void take_marks();
  void assume_keys();
  void choose_window();
  void fill_cells();
  void fill_stepped_row();
  TileCell stepped_cell(const IndexRange& keys) const;
  void fill_assumed_row(std::size_t row);
  void note_faults();
  bool hides(const IndexRange& rows, const IndexRange& keys) const {
    return keys.first > last_visible_key(subject_.shape, rows.last());
  }
  bool is_on_edge(const IndexRange& rows, const IndexRange& keys) const {
    return !hides(rows, keys) && keys.last() > last_visible_key(subject_.shape, rows.first);
  }
  bool is_complete() const { return has_timeline_ && stop_.cut_off.empty() && stop_.findings.empty(); }
  std::vector<std::size_t> visited_keys() const;
  // 1 where the block goes through the keys upwards, -1 downwards, 0 otherwise.
  int direction() const;

  const TilesSubject& subject_;
  const StepStop& stop_;
  bool has_timeline_ = false;
  Marks marks_;
  GridOrder order_;
  std::vector<IndexRange> all_rows_, all_keys_;
  /// Into all_rows_.
  std::optional<std::size_t> row_;
  std::size_t first_row_ = 0, first_key_ = 0;
  /// Tiles that the block never begins, though the mask does not hide them.
  std::int64_t missed_ = 0;
  TilesPlane plane_;
};

void PlaneMaker::find_row() {
  if (order_.is_known && (subject_.shape.B > 1 || subject_.shape.Hq > 1))
    plane_.head = subject_.shape.B > 1 ? fmt::format("batch {}, head {}", order_.batch, order_.head)
                                       : fmt::format("head {}", order_.head);
  const auto take = [&](IndexRange range, const std::string& from) {
    row_ = index_at(all_rows_, range.first);
    const IndexRange tile = all_rows_[*row_];
    plane_.rows_from = capitalised(range_words("query row", tile)) + ": " + from;
    if (range.end() > tile.end())
      plane_.notes.push_back(
          fmt::format("The block has {}, more than one query tile.", range_words("query row", range)));
    if (order_.is_known && static_cast<std::size_t>(order_.tile) != *row_)
      plane_.notes.push_back(
          fmt::format("By the grid the block should have {}.",
                      range_words("query row", all_rows_[static_cast<std::size_t>(order_.tile)])));
  };
  plane_.found_rows = found_rows(stop_);
  if (plane_.found_rows) return take(*plane_.found_rows, "rows of Q found in shared memory");
  if (!subject_.probed_rows.empty()) {
    const std::int64_t first = subject_.probed_rows.front();
    return take({first, subject_.probed_rows.back() - first + 1}, "named by the kernel's probes");
  }
  // A persistent block has other rows by now.
  const bool is_of_one = !is_persistent(subject_, stop_, static_cast<std::int64_t>(all_rows_.size()));
  if (subject_.seen_rows && is_of_one)
    return take(*subject_.seen_rows, "rows of Q found in shared memory at an earlier stop");
  if (order_.is_known)
    return take(all_rows_[static_cast<std::size_t>(order_.tile)], "by the block's place in the grid");
  plane_.rows_from =
      "Query rows: not known, as no row of Q lies in shared memory and the grid does not count query tiles";
}

// A main loop that is counted has no keys; where there is one round for each visible tile they are taken in order.
void PlaneMaker::assume_keys() {
  if (!row_ || !is_complete()) return;
  std::vector<IndexRange> visible;
  std::copy_if(all_keys_.begin(), all_keys_.end(), std::back_inserter(visible),
               [&](const IndexRange& keys) { return !hides(all_rows_[*row_], keys); });
  if (visible.size() != marks_.all.size()) return;
  for (std::size_t i = 0; i < visible.size(); ++i) {
    marks_.all[i].number = visible[i].first;
    marks_.all[i].keys = visible[i].count;
  }
  marks_.are_assumed = true;
}

void PlaneMaker::take_marks() {
  marks_.begun = static_cast<std::size_t>(std::count_if(
      marks_.all.begin(), marks_.all.end(), [&](const StepMark& mark) { return mark.slot <= stop_.slot; }));
  marks_.end = marks_.all.size();
  marks_.are_named = !marks_.all.empty() &&
                     std::all_of(marks_.all.begin(), marks_.all.end(),
                                 [](const StepMark& mark) { return mark.number >= 0 && mark.keys > 0; });
  if (!marks_.all.empty() && !marks_.are_named) assume_keys();
  if (marks_.are_named && is_persistent(subject_, stop_, static_cast<std::int64_t>(all_rows_.size()))) {
    take_round(marks_);
    if (marks_.first > 0 || marks_.end < marks_.all.size())
      plane_.notes.emplace_back(
          "The block computes several query tiles one after the other; one of them is drawn.");
  }
  plane_.tiles_from =
      !has_timeline_ ? "Tiles: the block is being run to its end"
      : marks_.all.empty()
          ? "Tiles: not known, as the kernel has no probe \"tile\" and no main loop was found"
      : marks_.are_named ? "Tiles: named by the kernel's probes"
      : marks_.are_assumed
          ? "Tiles: rounds of the kernel's main loop, taken as its key tiles in order, as it has no probe"
          : "Tiles: rounds of the kernel's main loop, whose keys are not known without a probe";
}

void PlaneMaker::choose_window() {
  const auto [row, row_end] = window_around(row_.value_or(0), all_rows_.size(), TilesPlane::max_rows);
  std::size_t now = 0;
  const bool has_now = marks_.have_keys() && marks_.begun > marks_.first;
  if (has_now) now = index_at(all_keys_, marks_.all[std::min(marks_.begun, marks_.end) - 1].number);
  const auto [key, key_end] = window_around(now, all_keys_.size(), TilesPlane::max_keys);
  first_row_ = row;
  first_key_ = key;
  const auto part = [](const std::vector<IndexRange>& all, std::size_t first, std::size_t end) {
    return std::vector<IndexRange>(all.begin() + static_cast<std::ptrdiff_t>(first),
                                   all.begin() + static_cast<std::ptrdiff_t>(end));
  };
  plane_.mask_shift = subject_.shape.Sk - subject_.shape.Sq;
  plane_.rows = part(all_rows_, row, row_end);
  plane_.keys = part(all_keys_, key, key_end);
  if (row_) plane_.row = *row_ - row;
  if (has_now) plane_.key = now - key;
  const auto note_cut = [&](const std::string& noun, std::size_t first, std::size_t end, std::size_t all) {
    if (end - first == all) return;
    plane_.notes.push_back(fmt::format(
        "Drawn: {} tiles {} to {} of {}.", noun, format_count(static_cast<std::int64_t>(first + 1)),
        format_count(static_cast<std::int64_t>(end)), format_count(static_cast<std::int64_t>(all))));
  };
  note_cut("query", row, row_end, all_rows_.size());
  note_cut("key", key, key_end, all_keys_.size());
}

std::vector<std::size_t> PlaneMaker::visited_keys() const {
  std::vector<std::size_t> keys;
  keys.reserve(marks_.end - marks_.first);
  for (std::size_t i = marks_.first; i < marks_.end; ++i)
    keys.push_back(index_at(all_keys_, marks_.all[i].number));
  return keys;
}

int PlaneMaker::direction() const {
  const std::vector<std::size_t> keys = visited_keys();
  if (std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>()) == keys.end()) return 1;
  if (std::adjacent_find(keys.begin(), keys.end(), std::less_equal<>()) == keys.end()) return -1;
  return 0;
}

TileCell PlaneMaker::stepped_cell(const IndexRange& keys) const {
  TileCell cell;
  cell.is_hidden = hides(all_rows_[*row_], keys);
  cell.is_on_edge = is_on_edge(all_rows_[*row_], keys);
  if (!has_timeline_ || !marks_.have_keys()) return cell;
  bool is_begun = false, comes = false, is_now = false;
  for (std::size_t i = marks_.first; i < marks_.end; ++i) {
    const StepMark& tile = marks_.all[i];
    if (tile.number >= keys.end() || tile.number + tile.keys <= keys.first) continue;
    cell.visits.push_back(static_cast<std::int64_t>(i) + 1);
    (i < marks_.begun ? is_begun : comes) = true;
    is_now |= i + 1 == marks_.begun && stop_.slot < stop_.slots;
  }
  cell.state = is_now              ? State::now
               : is_begun && comes ? State::comes_again
               : is_begun          ? State::done
               : comes             ? State::not_yet
               : cell.is_hidden    ? State::skipped
               : is_complete()     ? State::unvisited
                                   : State::unknown;
  return cell;
}

void PlaneMaker::fill_stepped_row() {
  plane_.is_finished = true;
  for (std::size_t i = 0; i < all_keys_.size(); ++i) {
    TileCell cell = stepped_cell(all_keys_[i]);
    if (cell.state == State::done) plane_.done_keys += all_keys_[i].count;
    plane_.is_finished &= cell.state == State::done || cell.state == State::skipped;
    missed_ += cell.state == State::unvisited ? 1 : 0;
    if (i >= first_key_ && i - first_key_ < plane_.keys.size())
      plane_.cells[*plane_.row * plane_.keys.size() + i - first_key_] = std::move(cell);
  }
}

// As far as the stepped block: after as many tiles of its own visible ones, in the same order.
void PlaneMaker::fill_assumed_row(std::size_t row) {
  std::vector<std::size_t> visible;
  for (std::size_t i = 0; i < all_keys_.size(); ++i) {
    if (!hides(plane_.rows[row], all_keys_[i])) visible.push_back(i);
  }
  if (direction() < 0) std::reverse(visible.begin(), visible.end());
  const std::size_t begun = marks_.begun - marks_.first;
  for (std::size_t i = 0; i < plane_.keys.size(); ++i) {
    TileCell& cell = plane_.cells[row * plane_.keys.size() + i];
    cell.is_assumed = true;
    if (cell.is_hidden) {
      cell.state = State::skipped;
      continue;
    }
    const auto turn =
        static_cast<std::size_t>(std::find(visible.begin(), visible.end(), i + first_key_) - visible.begin());
    const bool has_ended = stop_.slot >= stop_.slots;
    const bool is_now = turn + 1 == begun && !has_ended;
    cell.state = is_now ? State::now : turn < begun || has_ended ? State::done : State::not_yet;
  }
}

void PlaneMaker::fill_cells() {
  plane_.cells.resize(plane_.rows.size() * plane_.keys.size());
  plane_.blocks.resize(plane_.rows.size());
  const bool is_one_round = marks_.first == 0 && marks_.end == marks_.all.size();
  plane_.has_assumed = plane_.row && marks_.have_keys() && order_.is_known && order_.stride == 1 &&
                       is_one_round && direction() != 0 && plane_.rows.size() > 1;
  for (std::size_t row = 0; row < plane_.rows.size(); ++row) {
    for (std::size_t key = 0; key < plane_.keys.size(); ++key) {
      TileCell& cell = plane_.cells[row * plane_.keys.size() + key];
      cell.is_hidden = hides(plane_.rows[row], plane_.keys[key]);
      cell.is_on_edge = is_on_edge(plane_.rows[row], plane_.keys[key]);
    }
    if (order_.is_known) plane_.blocks[row] = order_.first_block + (first_row_ + row) * order_.stride;
    if (plane_.row == row) {
      fill_stepped_row();
    } else if (plane_.has_assumed) {
      fill_assumed_row(row);
    }
  }
  // A click on the row of the block goes nowhere else.
  if (plane_.row) plane_.blocks[*plane_.row] = subject_.block;
}

void PlaneMaker::note_faults() {
  if (!row_ || !marks_.have_keys()) return;
  std::int64_t hidden = 0, behind = 0;
  for (std::size_t i = marks_.first; i < marks_.end; ++i) {
    const StepMark& mark = marks_.all[i];
    behind += mark.number >= subject_.shape.Sk ? 1 : 0;
    hidden += mark.number < subject_.shape.Sk && hides(all_rows_[*row_], {mark.number, mark.keys}) ? 1 : 0;
  }
  if (hidden > 0)
    plane_.notes.push_back(
        fmt::format("The block begins {} that the causal mask hides wholly.", counted_noun(hidden, "tile")));
  if (behind > 0)
    plane_.notes.push_back(
        fmt::format("The block begins {} behind the last key.", counted_noun(behind, "tile")));
  if (missed_ > 0)
    plane_.notes.push_back(fmt::format("The block never begins {} that the mask does not hide{}.",
                                       counted_noun(missed_, "key tile"),
                                       order_.stride > 1 ? ": other blocks of its group take them" : ""));
}

}  // namespace

TilesSubject tiles_subject(const KernelDeclaration& kernel, const Experiment& experiment,
                           std::uint64_t block) {
  const Configuration complete = kernel.complete(experiment.parameters);
  TilesSubject subject;
  subject.shape = experiment.shape;
  subject.block_m = number_of(complete, "BLOCK_M");
  subject.block_n = number_of(complete, "BLOCK_N");
  subject.has_groups = !kernel.block_group.empty();
  subject.has_plain_grid = kernel.grid[1] == "Hq" && kernel.grid[2] == "B";
  subject.block = block;
  return subject;
}

std::int64_t last_visible_key(const Shape& shape, std::int64_t row) {
  if (!shape.causal) return shape.Sk - 1;
  return std::clamp<std::int64_t>(row + shape.Sk - shape.Sq, -1, shape.Sk - 1);
}

TilesPlane tiles_plane(const TilesSubject& subject, const StepStop& stop, const StepTimeline* timeline) {
  return PlaneMaker(subject, stop, timeline).make();
}

}  // namespace tilescope
