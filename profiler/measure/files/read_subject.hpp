#pragma once

#include <filesystem>
#include <stdexcept>

#include "profiler/service/requests/file_subject.hpp"

namespace tilescope {

/// A file of a subject cannot be read, or its launch is not JSON: a sentence with the file's name.
class UnreadableSubject : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Reads a kernel's file, its launch, and the arrays that the launch names, for a worker; an empty
/// `launch` for none. Of a folder, which may hold kernels, the worker gets the path alone. Throws UnreadableSubject.
FileSubject read_subject(const std::filesystem::path& file, const std::filesystem::path& launch);

}  // namespace tilescope
