#include "app/explorer/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "profiler/kernels/compile/kernel_source.hpp"

namespace tilescope {
namespace {

/// The kernel that is measured by the path of its file. Nothing where the file is gone or cannot be used, with the
/// reason in `error`.
std::optional<KernelDeclaration> read_by_path(const std::string& path, std::string& error) {
  try {
    KernelDeclaration kernel = read_kernel_declaration(path);
    kernel.name = path;
    return kernel;
  } catch (const std::exception& exception) {
    error = exception.what();
    return std::nullopt;
  }
}

}  // namespace

KernelList::KernelList(const Installation& installation, Mailbox& mailbox, Notices& notices)
    : installation_(installation), mailbox_(mailbox), notices_(notices) {
  try {
    const Catalogue catalogue(installation.kernels);
    kernels_ = catalogue.kernels();
    broken_ = catalogue.broken();
  } catch (const std::exception& error) {
    problem_ = error.what();
    notices_.say(fmt::format("The kernels cannot be read. {}", error.what()));
  }
}

const KernelDeclaration* KernelList::find(const std::string& name) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(),
                                  [&](const KernelDeclaration& kernel) { return kernel.name == name; });
  return found == kernels_.end() ? nullptr : &*found;
}

std::string KernelList::error_of(const std::string& kernel) const {
  const auto found = errors_.find(kernel);
  return found == errors_.end() ? "" : found->second;
}

std::string KernelList::source_of(const std::string& kernel) const {
  const auto found = sources_.find(kernel);
  return found == sources_.end() ? "" : found->second;
}

void KernelList::take_in(const std::string& path) {
  if (find(path) != nullptr || std::filesystem::path(path).extension() != ".cu") return;
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) return;
  std::string error;
  std::optional<KernelDeclaration> kernel = read_by_path(path, error);
  if (!kernel) return notices_.say(error);
  kernels_.push_back(*std::move(kernel));
  paths_.push_back(path);
  ++revision_;
}

void KernelList::watch() {
  if (watch_) return;
  FolderWatch::Callbacks callbacks;
  callbacks.changed = [this, former = kernels_]() mutable {
    KernelFiles files = read_kernel_files(installation_, former);
    former = files.kernels;
    mailbox_.put([this, files = std::move(files)] { take(files); });
  };
  callbacks.failed = [this](const std::string& sentence) {
    mailbox_.put([this, sentence] { notices_.say(sentence); });
  };
  try {
    watch_ = std::make_unique<FolderWatch>(installation_.kernels, std::move(callbacks));
  } catch (const std::exception& error) {
    notices_.say(fmt::format("{}. Press F5 after saving a kernel's file.", error.what()));
  }
}

void KernelList::look_again() {
  if (watch_) watch_->look_again();
}

// The catalogue's folder, which was read, does not have them. The last good declaration is in force.
void KernelList::add_taken_in(KernelFiles& files) const {
  for (const std::string& path : paths_) {
    std::string error;
    std::optional<KernelDeclaration> kernel = read_by_path(path, error);
    if (!kernel) {
      const KernelDeclaration* former = find(path);
      std::error_code ignored;
      if (former == nullptr || !std::filesystem::exists(path, ignored)) continue;
      files.errors[path] = error;
      kernel = *former;
    }
    files.kernels.push_back(*std::move(kernel));
    try {
      files.sources[path] = read_kernel_source(path, installation_.kernels).sha256;
    } catch (const std::runtime_error&) {
      // Gone since it was read.
    }
  }
}

void KernelList::take(KernelFiles files) {
  add_taken_in(files);
  const std::string name = chosen();
  const KernelDeclaration* declared = find(name);
  const bool is_gone = std::none_of(files.kernels.begin(), files.kernels.end(),
                                    [&](const KernelDeclaration& kernel) { return kernel.name == name; });
  if (declared != nullptr && is_gone) {
    files.errors[name] =
        fmt::format("{} is gone, or declares a kernel of another name. Choose another kernel.",
                    declared->source_path.string());
    files.kernels.push_back(*declared);
  }
  const Former former{source_of(name), error_of(name)};
  kernels_ = std::move(files.kernels);
  broken_ = std::move(files.broken);
  sources_ = std::move(files.sources);
  errors_ = std::move(files.errors);
  if (!files.problem.empty() && files.problem != problem_)
    notices_.say(fmt::format("The kernels cannot be read again. {}", files.problem));
  problem_ = std::move(files.problem);
  ++revision_;
  notices_.draw_again();
  if (read_again) read_again(former);
}

}  // namespace tilescope
