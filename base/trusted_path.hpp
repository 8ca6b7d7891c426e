#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <string>

namespace tilescope {

/// Whether only the caller and root may write what has this status: one of them owns it, and neither its group nor
/// others may write it.
bool is_trusted(const struct stat& status);

/// Why a file or a folder is not to be relied on: another user than the caller and root may have changed it, or may
/// exchange it for another one. "/tmp/shared belongs to nobody". "" where they cannot, also where nothing has this name
/// yet. Symbolic links are followed and looked at, and so is every folder on the way: a sticky one, such as /tmp, is a
/// safe place for a folder, but none for what is run.
std::string why_untrusted(const std::filesystem::path& path);

/// Why a file that is to be run or loaded is refused, with what to do: it, a folder from it up to `downloads` or the
/// folder that holds those is not trusted. "" for one that may be used, and for one that is not below `downloads`.
std::string why_refused(const std::filesystem::path& file, const std::filesystem::path& downloads);

/// Makes a folder and those above it that are missing; only the caller may enter them. Returns false where that is not
/// possible.
bool make_private_folders(const std::filesystem::path& folder);

}  // namespace tilescope
