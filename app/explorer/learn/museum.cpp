#include "app/explorer/learn/museum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <random>
#include <sstream>

#include "app/explorer/board.hpp"
#include "app/explorer/jobs.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/navigation.hpp"
#include "app/explorer/points/shown_point.hpp"
#include "app/explorer/selection.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "base/atomic_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const char* const tag = "museum";

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// Where the kernel begins, from 1.
std::uint32_t line_of_kernel(const std::string& source) {
  const std::size_t at = std::min(source.find("__global__"), source.size());
  const auto end = source.begin() + static_cast<std::ptrdiff_t>(at);
  return 1 + static_cast<std::uint32_t>(std::count(source.begin(), end, '\n'));
}

LessonVerdict right(std::string text) {
  return {LessonVerdict::Kind::right, std::move(text)};
}
LessonVerdict wrong(std::string text) {
  return {LessonVerdict::Kind::wrong, std::move(text)};
}

}  // namespace

Museum::Museum(Board& board)
    : board_(board),
      stepping_(board.get<BlockStepping>()),
      focus_(board.get<MemoryFocus>()),
      shown_(board.get<ShownPoint>()) {}

/// A new name: what another specimen's points were measured from stays as it was.
fs::path Museum::new_file() const {
  const fs::path folder = board_.parts.installation.data / "museum";
  fs::create_directories(folder);
  fs::path file = folder / "specimen.cu";
  for (int number = 2; fs::exists(file); ++number) file = folder / fmt::format("specimen_{}.cu", number);
  return file;
}

CountKernel::Params Museum::run_of(LessonConfiguration configuration, const std::string& kernel) const {
  configuration.kernel = kernel;
  CountKernel::Params params{board_.parts.selection.complete(experiment_of(configuration)), {}, false};
  params.options.check = true;
  return params;
}

Museum::Specimen* Museum::find(const LessonMuseum& block) {
  const auto found = specimens_.find({block.configuration.kernel, block.id});
  return found == specimens_.end() ? nullptr : &found->second;
}

void Museum::plant(const LessonMuseum& block) {
  std::random_device chance;
  plant(block, chance() % 2 == 0);
}

void Museum::plant(const LessonMuseum& block, bool is_faulty) {
  const KernelDeclaration* exhibit = board_.parts.kernels.find(block.configuration.kernel);
  if (exhibit == nullptr)
    return board_.parts.notices.say(fmt::format("There is no kernel '{}'.", block.configuration.kernel));
  Specimen specimen;
  specimen.is_faulty = is_faulty;
  std::string source;
  try {
    source = specimen_source(text_of(exhibit->source_path), block, is_faulty);
    specimen.file = new_file();
    replace_file(specimen.file, {source});
  } catch (const std::exception& error) {
    return board_.parts.notices.say(fmt::format("The specimen cannot be written: {}", error.what()));
  }
  board_.parts.kernels.take_in(specimen.file.string());
  Experiment experiment = board_.parts.selection.experiment();
  experiment.kernel = specimen.file.string();
  experiment.parameters = block.configuration.parameters;
  experiment.shape = block.configuration.shape;
  board_.parts.selection.set_experiment(std::move(experiment));
  shown_.stop();
  stepping_.choose_block(0);
  focus_.choose_line(line_of_kernel(source));
  board_.parts.navigation.panel_wanted("source");
  specimens_[{block.configuration.kernel, block.id}] = std::move(specimen);
}

void Museum::show_lines(Specimen& specimen) {
  const auto range = line_range_from(specimen.lines);
  if (!range) {
    specimen.note = "Name a line, such as 57, or lines, such as 57-59.";
    return;
  }
  specimen.replacement = lines_of(text_of(specimen.file), range->first, range->second);
  specimen.note = specimen.replacement.empty() ? "There is nothing on these lines." : "";
}

void Museum::replace_lines(Specimen& specimen) const {
  const auto range = line_range_from(specimen.lines);
  if (!range) {
    specimen.note = "Name a line, such as 57, or lines, such as 57-59.";
    return;
  }
  try {
    replace_file(specimen.file,
                 {with_lines(text_of(specimen.file), range->first, range->second, specimen.replacement)});
  } catch (const std::exception& error) {
    specimen.note = fmt::format("The file cannot be written: {}", error.what());
    return;
  }
  specimen.has_changed = true;
  specimen.verdict.reset();
  specimen.note = "Replaced. The numbers of the lines below may have changed.";
  board_.parts.kernels.look_again();
}

void Museum::run_repair(const LessonMuseum& block) {
  Specimen* specimen = find(block);
  if (specimen == nullptr || specimen->is_running) return;
  specimen->is_running = true;
  specimen->verdict.reset();
  request_ = board_.parts.jobs.request<CountKernel>(
      tag, run_of(block.configuration, specimen->file.string()),
      {[this, block](CountedPoint point) { run_sound(block, std::move(point)); }});
}

void Museum::run_sound(const LessonMuseum& block, Measurement repaired) {
  const LessonConfiguration sound = exhibit_of(block, false);
  const auto take_sound = [this, block, repaired = std::move(repaired)](const CountedPoint& point) {
    if (Specimen* now = find(block)) take(*now, block, repaired, point);
  };
  request_ = board_.parts.jobs.request<CountKernel>(tag, run_of(sound, sound.kernel), {take_sound});
}

void Museum::take(Specimen& specimen, const LessonMuseum& block, const Measurement& repaired,
                  const Measurement& sound) {
  specimen.is_running = false;
  const std::string reason = why_not_repaired(repaired, sound, block.is_exact);
  if (!reason.empty()) {
    specimen.verdict = wrong("Not repaired. " + reason);
  } else if (!specimen.is_faulty) {
    specimen.verdict =
        right(specimen.has_changed ? "It is sound, and it was sound before: this time nothing was planted."
                                   : "It is sound: this time nothing was planted.");
  } else {
    specimen.verdict = right(
        "Repaired: the result is correct, the checkers find no fault, and it needs no more than a sound "
        "kernel.");
  }
}

void Museum::say_sound(const LessonMuseum& block) {
  Specimen* specimen = find(block);
  if (specimen == nullptr) return;
  specimen->verdict =
      specimen->is_faulty
          ? wrong("Something is wrong: this specimen has the fault. Look again at the symptoms.")
          : right("Right: this time nothing was planted. Plant again to look for the fault.");
}

}  // namespace tilescope
