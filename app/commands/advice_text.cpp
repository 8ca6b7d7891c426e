#include "app/commands/advice_text.hpp"

#include "app/commands/terminal.hpp"
#include "sessions/views/points/tries_text.hpp"

namespace tilescope {
namespace {

TextColor color_of(Severity severity) {
  switch (severity) {
    case Severity::fault:
      return TextColor::red;
    case Severity::cost:
      return TextColor::yellow;
    case Severity::hint:
      break;
  }
  return TextColor::none;
}

}  // namespace

std::string advice_text(const Measurement& point) {
  return (point.diagnoses ? advice_text(*point.diagnoses) : "") + tries_section(point);
}

std::string advice_text(const std::vector<Diagnosis>& diagnoses) {
  if (diagnoses.empty()) return "";
  std::string text = "Advice\n";
  for (const Diagnosis& diagnosis : diagnoses) {
    const std::string severity = colored(to_string(diagnosis.severity), color_of(diagnosis.severity));
    text += "  " + prose(severity + ": " + diagnosis.text, 4) + "\n";
    for (const std::string& more : {diagnosis.evidence, diagnosis.repair}) {
      if (!more.empty()) text += "    " + prose(more, 4) + "\n";
    }
  }
  if (const std::string note = note_on_savings(diagnoses); !note.empty())
    text += "  " + prose(note, 4) + "\n";
  return text;
}

std::string tries_section(const Measurement& point) {
  if (point.tries.empty()) return "";
  const TriesText tries = tries_text(point, point.tries);
  std::string text = "Tries\n";
  for (const TriesText::Gain& gain : tries.gains)
    text += "  " + prose(colored(gain.text, TextColor::green), 4) + "\n";
  std::string others = tries.without_gain_words;
  for (const std::string& other : tries.without_gain)
    others += (&other == &tries.without_gain.front() ? ": " : ", ") + other;
  for (const std::string& line : {others, tries.not_tried_words}) {
    if (!line.empty()) text += "  " + prose(line, 4) + "\n";
  }
  return text;
}

}  // namespace tilescope
