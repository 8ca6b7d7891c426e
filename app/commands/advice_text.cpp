#include "app/commands/advice_text.hpp"

#include "app/commands/terminal.hpp"
#include "app/explorer/tune/advice.hpp"

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
  return point.diagnoses ? advice_text(*point.diagnoses) : "";
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
  return text;
}

}  // namespace tilescope
