#include "app/explorer/museum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <random>
#include <sstream>

#include "app/explorer/explorer.hpp"
#include "profiler/requests/trace.hpp"
#include "sessions/atomic_file.hpp"

namespace tilescope {
namespace {

namespace fs = std::filesystem;

const std::string tag = "museum";

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

/// A new name: what another specimen's points were measured from stays as it was.
fs::path new_file(const Explorer& explorer) {
  const fs::path folder = explorer.installation().data / "museum";
  fs::create_directories(folder);
  fs::path file = folder / "specimen.cu";
  for (int number = 2; fs::exists(file); ++number) file = folder / fmt::format("specimen_{}.cu", number);
  return file;
}

Trace::Params run_of(const Explorer& explorer, LessonConfiguration configuration, const std::string& kernel) {
  configuration.kernel = kernel;
  Trace::Params params{explorer.selection().complete(experiment_of(configuration)), {}, false};
  params.options.check = true;
  return params;
}

LessonVerdict right(std::string text) {
  return {LessonVerdict::Kind::right, std::move(text)};
}
LessonVerdict wrong(std::string text) {
  return {LessonVerdict::Kind::wrong, std::move(text)};
}

}  // namespace

Museum::Specimen* Museum::find(const LessonMuseum& block) {
  const auto found = specimens_.find({block.configuration.kernel, block.id});
  return found == specimens_.end() ? nullptr : &found->second;
}

void Museum::plant(Explorer& explorer, const LessonMuseum& block) {
  std::random_device chance;
  plant(explorer, block, chance() % 2 == 0);
}

void Museum::plant(Explorer& explorer, const LessonMuseum& block, bool is_faulty) {
  const KernelDeclaration* exhibit = explorer.kernels().find(block.configuration.kernel);
  if (exhibit == nullptr)
    return explorer.notices().say(fmt::format("There is no kernel '{}'.", block.configuration.kernel));
  Specimen specimen;
  specimen.is_faulty = is_faulty;
  std::string source;
  try {
    source = specimen_source(text_of(exhibit->source_path), block, is_faulty);
    specimen.file = new_file(explorer);
    replace_file(specimen.file, {source});
  } catch (const std::exception& error) {
    return explorer.notices().say(fmt::format("The specimen cannot be written: {}", error.what()));
  }
  explorer.kernels().take_in(specimen.file.string());
  Experiment experiment = explorer.selection().experiment();
  experiment.kernel = specimen.file.string();
  experiment.parameters = block.configuration.parameters;
  experiment.shape = block.configuration.shape;
  explorer.selection().set_experiment(std::move(experiment));
  explorer.stop_showing();
  explorer.block_stepping().choose_block(0);
  explorer.memory_focus().choose_line(line_of_kernel(source));
  explorer.panel_wanted("source");
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

void Museum::replace_lines(Explorer& explorer, Specimen& specimen) {
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
  explorer.kernels().look_again();
}

void Museum::run_repair(Explorer& explorer, const LessonMuseum& block) {
  Specimen* specimen = find(block);
  if (specimen == nullptr || specimen->is_running) return;
  specimen->is_running = true;
  specimen->verdict.reset();
  const auto run_sound = [this, block, &explorer](TracedPoint repaired) {
    const LessonConfiguration sound = exhibit_of(block, false);
    explorer.jobs().request<Trace>(
        tag, run_of(explorer, sound, sound.kernel),
        [this, block, repaired = std::move(repaired), alive = std::weak_ptr<bool>(alive_),
         &explorer](const TracedPoint& point) {
          if (alive.expired()) return;
          if (Specimen* now = find(block)) take(*now, block, repaired, point);
          explorer.draw_again();
        });
  };
  explorer.jobs().request<Trace>(tag, run_of(explorer, block.configuration, specimen->file.string()),
                                 [alive = std::weak_ptr<bool>(alive_), run_sound](TracedPoint point) {
                                   if (!alive.expired()) run_sound(std::move(point));
                                 });
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
