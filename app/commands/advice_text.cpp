#include "app/commands/advice_text.hpp"

#include "app/commands/text_table.hpp"

namespace tilescope {
namespace {

constexpr std::size_t text_width = 100;

}  // namespace

std::string advice_text(const Measurement& point) {
  if (!point.diagnoses || point.diagnoses->empty()) return "";
  std::string text = "Advice\n";
  for (const Diagnosis& diagnosis : *point.diagnoses) {
    text += "  " + wrapped(to_string(diagnosis.severity) + ": " + diagnosis.text, text_width, 4) + "\n";
    for (const std::string& more : {diagnosis.evidence, diagnosis.repair}) {
      if (!more.empty()) text += "    " + wrapped(more, text_width, 4) + "\n";
    }
  }
  return text;
}

}  // namespace tilescope
