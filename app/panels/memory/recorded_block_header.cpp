#include "app/panels/memory/recorded_block_header.hpp"

#include <imgui.h>

#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/gui/landmarks.hpp"
#include "app/widgets/colors.hpp"
#include "app/widgets/text.hpp"
#include "profiler/views/memory/block_text.hpp"

namespace tilescope {

namespace {

void choose(BlockRecorder& recorder, const RecordedBlock& recorded, std::uint64_t block) {
  recorder.choose_block_of(block, recorded);
}

void draw_choice(BlockRecorder& recorder, const RecordedBlock& recorded) {
  std::uint64_t block = recorder.chosen_block();
  ImGui::BeginDisabled(block == 0);
  if (ImGui::ArrowButton("##previous", ImGuiDir_Left)) choose(recorder, recorded, block - 1);
  ImGui::EndDisabled();
  landmark("block.previous");
  ImGui::SameLine(0, em() * 0.2F);
  ImGui::SetNextItemWidth(em() * 3.5F);
  const MonoText mono;
  if (ImGui::InputScalar("##number", ImGuiDataType_U64, &block, nullptr, nullptr, nullptr,
                         ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_AutoSelectAll))
    choose(recorder, recorded, block);
  landmark("block.number");
  help_tooltip_above("The linear index of the block that is traced; Enter takes another one.");
  ImGui::SameLine(0, em() * 0.2F);
  ImGui::BeginDisabled(recorder.chosen_block() + 1 >= recorded.blocks());
  if (ImGui::ArrowButton("##next", ImGuiDir_Right)) choose(recorder, recorded, recorder.chosen_block() + 1);
  ImGui::EndDisabled();
  landmark("block.next");
}

}  // namespace

std::shared_ptr<const RecordedBlock> recorded_block_or_reason(Explorer& explorer, const std::string& tag) {
  auto& recorder = explorer.board().get<BlockRecorder>(tag);
  recorder.want();
  std::shared_ptr<const RecordedBlock> block = recorder.shown();
  if (!block) {
    const MissingAnswer& missing = recorder.missing();
    if (empty_state(missing.heading, missing.text, missing.can_retry ? "Try again" : "")) recorder.retry();
  }
  return block;
}

bool recorded_block_header(Explorer& explorer, const RecordedBlock& recorded, const std::string& tag) {
  auto& recorder = explorer.board().get<BlockRecorder>(tag);
  ImGui::AlignTextToFramePadding();
  text_muted("Block");
  ImGui::SameLine();
  draw_choice(recorder, recorded);
  ImGui::SameLine();
  ImGui::AlignTextToFramePadding();
  const bool is_of_ptx = !is_of_machine_code(recorded.recording);
  text_muted(recorder.is_outdated()
                 ? "Tracing..."
                 : block_place_words(recorded.block, recorded.grid) + (is_of_ptx ? ", PTX" : ""));
  help_tooltip(is_of_ptx
                   ? "The block's accesses come from the PTX, of which the GPU may need fewer: the panel "
                     "Point says why."
                   : "The block's accesses come from the machine code.");
  const std::string beyond = recorder.beyond(recorded);
  if (!beyond.empty()) {
    text_wrapped(palette().warning, beyond);
    landmark("block.beyond");
  }
  const std::vector<std::string> notes = recording_notes(recorded.recording);
  for (const std::string& note : notes) text_wrapped(palette().warning, note);
  return !beyond.empty() || !notes.empty();
}

}  // namespace tilescope
