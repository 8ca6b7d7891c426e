#pragma once

#include <filesystem>
#include <string>

#include "app/commands/output.hpp"

namespace tilescope {

/// Throws WrongUsage where the file of an option, such as --to, is stdout, and --json's document belongs there.
void refuse_second_document(const OutputOptions& output, const std::string& option,
                            const std::filesystem::path& file);

/// Prints text for the user beside a written file: on stderr where the file is stdout.
void print_beside(const std::filesystem::path& file, const std::string& text);

}  // namespace tilescope
