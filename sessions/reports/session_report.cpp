#include "sessions/reports/session_report.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text/format.hpp"
#include "sessions/reports/environment.hpp"
#include "sessions/reports/point_table.hpp"
#include "sessions/reports/report_plots.hpp"
#include "sessions/reports/shapes_section.hpp"
#include "sessions/views/points/complaints.hpp"
#include "sessions/views/points/point_rows.hpp"
#include "sessions/views/points/point_text.hpp"
#include "sessions/views/points/points_csv.hpp"

namespace tilescope {
namespace {

using Order = std::vector<std::uint32_t>;

PointRows rows_of(const Session& session) {
  PointRows rows;
  do {
    rows.update(session.points, {});
  } while (!rows.is_complete());
  return rows;
}

std::vector<LadderGroup> groups_of(const Session& session, const LadderKernels& kernels) {
  Ladder ladder;
  do {
    ladder.update(session.points, {}, kernels);
  } while (!ladder.is_complete());
  return ladder.groups();
}

/// The points of one shape, or of one kernel of a file, on one device, best first.
struct Group {
  std::string device;
  Shape shape;
  /// "" for attention.
  std::string file_kernel;
  Order order;
};

std::string heading_of(const Group& group, const std::vector<PointRow>& rows) {
  return (group.file_kernel.empty() ? to_string(group.shape) : group.file_kernel) + " on " +
         device_words(rows[group.order[0]].point->device);
}

std::vector<Group> grouped(const std::vector<PointRow>& rows, const Order& best_first) {
  std::map<std::tuple<std::string, std::string, Shape>, Group> groups;
  for (const std::uint32_t i : best_first) {
    const Measurement& point = *rows[i].point;
    const std::string file_kernel = point.arguments ? point.kernel : "";
    Group& group = groups[{point.device.name, file_kernel, point.shape}];
    group.device = point.device.name;
    group.shape = point.shape;
    group.file_kernel = file_kernel;
    group.order.push_back(i);
  }
  std::vector<Group> list;
  list.reserve(groups.size());
  for (auto& [key, group] : groups) list.push_back(std::move(group));
  return list;
}

PointList points_of(const std::vector<PointRow>& rows, const Order& order) {
  PointList points;
  points.reserve(order.size());
  for (const std::uint32_t i : order) points.push_back(rows[i].point);
  return points;
}

/// "57 points: 52 correct, 3 incorrect result"
std::string counts_words(const PointList& points) {
  std::map<std::string, std::size_t> counts;
  for (const auto& point : points) ++counts[status_label(*point)];
  if (counts.size() == 1 && counts.contains(status_label(Status::ok)))
    return format_points(points.size()) + ", all correct";
  std::string words;
  for (const auto& [label, count] : counts) {
    std::string status = label;
    status[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(status[0])));
    words += (words.empty() ? ": " : ", ") + format_count(static_cast<std::int64_t>(count)) + " " + status;
  }
  return format_points(points.size()) + words;
}

std::string subtitle_of(const Session& session) {
  std::set<std::string> devices;
  for (const auto& point : session.points) devices.insert(device_words(point->device));
  std::string text;
  for (const std::string& device : devices) text += (text.empty() ? "" : ", ") + device;
  const std::string day = session.created_utc.substr(0, 10);
  if (!text.empty() && !day.empty()) text += ", ";
  return counts_words(session.points) + (text.empty() && day.empty() ? "" : ". " + text + day) + ".";
}

void leave_out_empty_columns(ReportTable& table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool says_something = std::any_of(table.rows.begin(), table.rows.end(),
                                            [&](const auto& row) { return !row.cells[column].empty(); });
    if (says_something) continue;
    const auto at = static_cast<std::ptrdiff_t>(column);
    table.columns.erase(table.columns.begin() + at);
    for (ReportTable::Row& row : table.rows) row.cells.erase(row.cells.begin() + at);
  }
}

ReportSection summary_section(const std::vector<LadderGroup>& groups, const PointList& points) {
  ReportSection section{"Summary", {}, {}, {}, {}};
  section.table.columns = {{"Shape"},
                           {"Device"},
                           {"Best kernel"},
                           {"Origin"},
                           {.header = "p50", .is_number = true},
                           {.header = "TFLOP/s", .is_number = true},
                           {.header = "Against the best library"}};
  for (const LadderGroup& group : groups) {
    if (!group.fastest) continue;
    const LadderBar& best = group.bars[*group.fastest];
    const LadderLine line = ladder_line(group);
    section.table.rows.push_back(
        {{line.shape, device_words(best.point->device), line.kernel, to_string(best.kind),
          format_latency(best.p50_us), format_number(best.tflops, 2), line.speed},
         best.kind == LadderKind::predicted ? ReportTable::RowKind::predicted : ReportTable::RowKind::plain});
  }
  leave_out_empty_columns(section.table);
  const bool is_of_files = !points.empty() && std::ranges::all_of(points, [](const auto& point) {
    return point->arguments.has_value();
  });
  if (section.table.rows.empty() && !is_of_files)
    section.paragraphs.emplace_back("No kernel of attention has a correct result with a latency.");
  for (std::string& note : reading_notes(points)) section.paragraphs.push_back(std::move(note));
  return section;
}

ReportSection plots_of(const Group& group, const std::vector<PointRow>& rows,
                       const std::vector<LadderGroup>& ladder) {
  ReportSection section{heading_of(group, rows), {}, {}, {}, {}};
  const auto bars = std::find_if(ladder.begin(), ladder.end(), [&](const LadderGroup& other) {
    return group.file_kernel.empty() && other.device == group.device && other.shape == group.shape;
  });
  if (bars != ladder.end()) {
    section.paragraphs.push_back(ladder_summary(*bars) + ".");
    if (auto figure = ladder_figure(*bars)) section.figures.push_back(*std::move(figure));
  }
  if (auto figure = latency_figure(points_of(rows, group.order)))
    section.figures.push_back(*std::move(figure));
  return section;
}

ReportSection table_section(const Group& group, const std::vector<PointRow>& rows) {
  ReportSection section{"Points: " + heading_of(group, rows), {}, {}, point_table(rows, group.order), {}};
  const std::string shared = shared_parameters(rows, group.order);
  const std::string kernel = rows[group.order[0]].point->kernel;
  if (!shared.empty()) section.paragraphs.push_back(kernel + ", all with " + shared + ".");
  return section;
}

/// Notes of the points, each sentence once with the number of points.
std::vector<ReportItem> note_items(const PointList& points) {
  std::map<std::string, std::size_t> counts;
  std::vector<std::string> order;
  for (const auto& point : points) {
    for (const std::string& note : point->notes) {
      if (counts[note]++ == 0) order.push_back(note);
    }
  }
  std::vector<ReportItem> items;
  items.reserve(order.size());
  for (const std::string& note : order) {
    const std::size_t count = counts[note];
    items.push_back({ReportItem::Tone::plain, "", note, {}});
    if (count != points.size()) items.back().details.push_back(format_points(count));
  }
  return items;
}

ReportItem::Tone tone_of(Severity severity) {
  switch (severity) {
    case Severity::fault:
      return ReportItem::Tone::fault;
    case Severity::cost:
      return ReportItem::Tone::cost;
    case Severity::hint:
      return ReportItem::Tone::hint;
  }
  return ReportItem::Tone::plain;
}

/// "line 148", "lines 12, 40"; "" for none.
std::string lines_words(const std::vector<std::int64_t>& lines) {
  if (lines.empty()) return "";
  std::string words = lines.size() == 1 ? ", line " : ", lines ";
  for (std::size_t i = 0; i < lines.size(); ++i) words += (i == 0 ? "" : ", ") + std::to_string(lines[i]);
  return words;
}

/// "bank_conflicts" as "Bank conflicts"
std::string title_of(std::string kind) {
  std::replace(kind.begin(), kind.end(), '_', ' ');
  return capitalised(std::move(kind));
}

/// Diagnoses of one kernel and kind: the first stands for all.
class DiagnosisList {
 public:
  void add(const Measurement& point, const Diagnosis& diagnosis, std::vector<std::string> details) {
    Entry& entry = entries_[{rank_of(diagnosis), point.kernel, diagnosis.kind}];
    if (++entry.count > 1) return;
    entry.place = entries_.size();
    entry.item = {tone_of(diagnosis.severity),
                  title_of(diagnosis.kind) + ", " + point.kernel + lines_words(diagnosis.lines),
                  diagnosis.text, std::move(details)};
    entry.configuration = to_string(point.parameters);
    if (entry.configuration.empty()) entry.configuration = problem_words(point);
  }

  std::vector<ReportItem> items() const {
    std::vector<std::pair<int, const Entry*>> sorted;
    sorted.reserve(entries_.size());
    for (const auto& [key, entry] : entries_) sorted.emplace_back(std::get<0>(key), &entry);
    std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
      return std::pair(a.first, a.second->place) < std::pair(b.first, b.second->place);
    });
    std::vector<ReportItem> items;
    items.reserve(sorted.size());
    for (const auto& [rank, entry] : sorted) {
      items.push_back(entry->item);
      items.back().details.push_back((entry->count > 1 ? format_points(entry->count) + ", here: " : "At ") +
                                     entry->configuration + ".");
    }
    return items;
  }

 private:
  struct Entry {
    std::size_t count = 0;
    std::size_t place = 0;
    ReportItem item;
    std::string configuration;
  };
  /// By rank, kernel and kind.
  std::map<std::tuple<int, std::string, std::string>, Entry> entries_;
};

// note_on_savings() of the first point that has one.
std::vector<std::string> notes_on_savings(const PointList& points) {
  for (const auto& point : points) {
    if (!point->diagnoses) continue;
    if (std::string note = note_on_savings(*point->diagnoses); !note.empty()) return {std::move(note)};
  }
  return {};
}

}  // namespace

std::vector<ReportItem> diagnosis_items(const PointList& points) {
  DiagnosisList list;
  for (const auto& point : points) {
    for (const Complaint& complaint : complaints_of(point->findings)) {
      if (complaint.is_fault)
        list.add(*point, {complaint.title, Severity::fault, complaint.lines, complaint.sentence, "", ""},
                 {complaint.occurrence});
    }
    if (!point->diagnoses) continue;
    for (const Diagnosis& diagnosis : *point->diagnoses) {
      std::vector<std::string> details;
      if (!diagnosis.evidence.empty()) details.push_back("Evidence: " + diagnosis.evidence);
      if (!diagnosis.repair.empty()) details.push_back("Repair: " + diagnosis.repair);
      list.add(*point, diagnosis, std::move(details));
    }
  }
  return list.items();
}

std::vector<std::string> reading_notes(const PointList& points) {
  std::set<std::string> formulas;
  bool measured = false;
  bool recorded = false;
  bool predicted = false;
  for (const auto& point : points) {
    if (point->latency) {
      if (!point->latency->tflops_formula.empty()) formulas.insert(point->latency->tflops_formula);
      (point->latency->kind == LatencyKind::recorded ? recorded : measured) = true;
    }
    predicted = predicted || (!point->latency && point->prediction);
  }
  std::vector<std::string> notes;
  if (measured) notes.emplace_back("Measured latencies were timed by Tilescope on the device.");
  if (recorded) notes.emplace_back("Recorded latencies are of another program or an earlier session.");
  if (predicted)
    notes.emplace_back(
        "Predicted latencies are a model's, not timed; they are ranked after what was timed, and drawn "
        "hollow or hatched.");
  std::string words;
  for (const std::string& formula : formulas) words += (words.empty() ? "TFLOP/s = " : ", or ") + formula;
  if (formulas.size() > 1) words += ": halved when causal, and where only the scores are computed";
  if (!words.empty()) notes.push_back(words + ".");
  return notes;
}

Session chosen_points(const Session& session, const ReportChoice& choice) {
  Session chosen;
  chosen.title = session.title;
  chosen.created_utc = session.created_utc;
  chosen.tilescope_version = session.tilescope_version;
  std::set<std::string> used;
  for (const auto& point : session.points) {
    const bool is_chosen =
        (choice.kernel.empty() || point->kernel == choice.kernel) &&
        (choice.device.empty() || point->device.name == choice.device) &&
        (choice.shapes.empty() ||
         (!point->arguments && std::ranges::find(choice.shapes, point->shape) != choice.shapes.end()));
    if (!is_chosen) continue;
    chosen.points.push_back(point);
    used.insert(point->provenance.source_sha256);
  }
  for (const auto& [hash, source] : session.sources) {
    if (used.contains(hash)) chosen.sources[hash] = source;
  }
  return chosen;
}

ReportDocument session_report(const Session& session, const LadderKernels& kernels,
                              const std::string& tilescope_version) {
  const PointRows rows = rows_of(session);
  const Order order = rows.best_first({});
  const std::vector<LadderGroup> ladder = groups_of(session, kernels);
  const std::vector<Group> groups = grouped(rows.rows(), order);
  const PointList best_first = points_of(rows.rows(), order);

  ReportDocument report;
  report.title = session.title.empty() ? "Session" : session.title;
  report.subtitle = subtitle_of(session);
  report.sections.push_back(summary_section(ladder, best_first));
  for (ReportSection& section : shapes_sections(session.points))
    report.sections.push_back(std::move(section));
  for (const Group& group : groups) {
    ReportSection section = plots_of(group, rows.rows(), ladder);
    if (!section.figures.empty()) report.sections.push_back(std::move(section));
  }
  std::vector<ReportItem> diagnoses = diagnosis_items(best_first);
  if (!diagnoses.empty()) {
    report.sections.push_back({"Diagnoses", notes_on_savings(best_first), {}, {}, std::move(diagnoses)});
  }
  for (const Group& group : groups) report.sections.push_back(table_section(group, rows.rows()));
  std::vector<ReportItem> notes = note_items(best_first);
  if (!notes.empty()) report.sections.push_back({"Notes", {}, {}, {}, std::move(notes)});
  report.sections.push_back(environment_section(session.points, session.sources));
  report.footer = "Written by Tilescope " + tilescope_version + ".";
  return report;
}

std::string session_csv(const Session& session) {
  const PointRows rows = rows_of(session);
  return points_csv(rows.rows(), point_columns(all_parameters({}, rows.parameters())), rows.best_first({}));
}

}  // namespace tilescope
