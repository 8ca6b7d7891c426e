#include "app/explorer/kernel_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tilescope {

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

void KernelList::take(KernelFiles files) {
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
