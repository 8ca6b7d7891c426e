#include "app/explorer/latency_meter_text.hpp"

#include "base/json.hpp"
#include "base/text/format.hpp"

namespace tilescope {
namespace {

struct Words {
  const char* title;
  const char* help;
};

Words words_of(std::optional<AnswerSource> source) {
  if (!source) return {"No answer", "The next move came first, or the point failed"};
  switch (*source) {
    case AnswerSource::session:
      return {"Session", "The point was in the session"};
    case AnswerSource::prepared:
      return {"Prepared ahead", "The point was measured while nothing else was asked for"};
    case AnswerSource::cached:
      return {"Cached binary", "Compiled earlier; checked, and counted or timed, for this move"};
    case AnswerSource::compiled:
      break;
  }
  return {"New compile", "Compiled for this move"};
}

std::string format_ms(double ms) {
  return format_number(ms, ms < 100 ? 1 : 0);
}

}  // namespace

LatencyMeterTable latency_meter_table(const LatencyMeter& meter) {
  LatencyMeterTable table;
  for (std::size_t i = 0; i < answer_stages; ++i)
    table.headers[i] = capitalised(to_string(static_cast<AnswerStage>(i)));
  for (const LatencyMeter::Row& row : meter.rows()) {
    const Words words = words_of(row.source);
    LatencyMeterTable::Row texts{
        words.title, words.help, format_count(static_cast<std::int64_t>(row.moves)), {}};
    for (std::size_t i = 0; i < answer_stages; ++i) {
      const auto& figure = row.drawn[i];
      texts.drawn[i] = {figure ? format_ms(figure->median_ms) : "-", figure ? format_ms(figure->p90_ms) : ""};
    }
    table.rows.push_back(std::move(texts));
  }
  table.stalls = {
      {{"Longest turn of the window's loop in the last minute: " + format_ms(meter.longest_turn_ms()) + " ms",
        "Wall time between two waits for events: update, frame, painting and the wait for the display. "
        "What the mouse does meanwhile is seen after it."},
       {"Longest update or frame in that minute, without waits for a core: " +
            format_ms(meter.longest_part_ms()) + " ms",
        "What Tilescope's own code takes, without painting, and without the time in which compilers and "
        "other programs had all cores."}}};
  return table;
}

std::string latency_meter_text(const LatencyMeter& meter) {
  const LatencyMeterTable table = latency_meter_table(meter);
  std::string text = "answer\tmoves";
  for (const std::string& header : table.headers)
    text += "\t" + header + " p50 [ms]\t" + header + " p90 [ms]";
  for (const LatencyMeterTable::Row& row : table.rows) {
    text += "\n" + row.title + "\t" + row.moves;
    for (const LatencyMeterTable::Cell& cell : row.drawn) text += "\t" + cell.median + "\t" + cell.p90;
  }
  for (const LatencyMeterTable::Stall& stall : table.stalls) text += "\n" + stall.text;
  return text + "\n";
}

Json latency_meter_json(const LatencyMeter& meter) {
  Json figures = Json::array();
  for (const LatencyMeter::Row& row : meter.rows()) {
    for (std::size_t i = 0; i < answer_stages; ++i) {
      if (!row.received[i]) continue;
      const auto& drawn = row.drawn[i];
      figures.push_back({{"source", row.source ? Json(to_string(*row.source)) : Json()},
                         {"stage", to_string(static_cast<AnswerStage>(i))},
                         {"count", row.received[i]->count},
                         {"received_ms", row.received[i]->median_ms},
                         {"drawn_ms", drawn ? Json(drawn->median_ms) : Json()},
                         {"drawn_p90_ms", drawn ? Json(drawn->p90_ms) : Json()}});
    }
  }
  Json stages = Json::object();
  for (std::size_t i = 0; i < answer_stages; ++i)
    stages[to_string(static_cast<AnswerStage>(i))] = meter.stages_drawn()[i];
  return {{"moves", meter.moves()},
          {"longest_turn_ms", meter.longest_turn_ms()},
          {"longest_part_ms", meter.longest_part_ms()},
          {"stages_drawn", stages},
          {"figures", figures}};
}

}  // namespace tilescope
