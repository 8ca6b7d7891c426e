#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "app/explorer/folder_watch.hpp"
#include "app/explorer/kernel_files.hpp"
#include "app/explorer/notices.hpp"
#include "profiler/installation.hpp"
#include "profiler/service/client/mailbox.hpp"

namespace tilescope {

/// The kernels to choose from, as their files are now.
class KernelList {
 public:
  /// All three must outlive it; what cannot be read is a notice.
  KernelList(const Installation& installation, Mailbox& mailbox, Notices& notices);

  const std::vector<KernelDeclaration>& all() const { return kernels_; }
  /// nullptr for a name that no kernel has.
  const KernelDeclaration* find(const std::string& name) const;
  /// Not to be chosen: each with what is wrong.
  const std::vector<BrokenKernel>& broken() const { return broken_; }
  /// Why the file of a kernel cannot be used as it is now; its last good declaration is in force. "" for none.
  std::string error_of(const std::string& kernel) const;
  /// The source of each kernel as it is now: what points are held against. Empty where no file is watched.
  const CurrentSources& sources() const { return sources_; }
  /// Counts up whenever all() changes: panels keep what they derived until it does.
  std::uint64_t revision() const { return revision_; }

  /// Takes in the kernel of a point that was measured by the path of a .cu file: its name here is that path.
  /// An error of its declaration is a notice. Nothing happens for a kernel that is known, a file that is
  /// gone, or another name.
  void take_in(const std::string& path);

  /// From now on a saved file is read again, and `read_again` is called with what was before.
  void watch();
  /// As if a file had changed: not every file system says so.
  void look_again();

  /// State of a kernel before its file was read again.
  struct Former {
    /// Its hash, "" for not known.
    std::string source;
    std::string error;
  };
  /// The kernel that is chosen: its declaration is kept when its file goes away.
  std::function<std::string()> chosen = [] { return std::string(); };
  std::function<void(const Former&)> read_again;

 private:
  void add_taken_in(KernelFiles& files) const;
  void take(KernelFiles files);
  std::string source_of(const std::string& kernel) const;

  const Installation& installation_;
  Mailbox& mailbox_;
  Notices& notices_;
  std::vector<KernelDeclaration> kernels_;
  std::vector<BrokenKernel> broken_;
  /// Files of the kernels that were loaded.
  std::vector<std::string> paths_;
  CurrentSources sources_;
  /// Errors in declarations that cannot be used, by kernel.
  std::map<std::string, std::string> errors_;
  /// The last one of the catalogue as a whole.
  std::string problem_;
  std::uint64_t revision_ = 1;
  /// Last: it hands over through `mailbox_`.
  std::unique_ptr<FolderWatch> watch_;
};

}  // namespace tilescope
