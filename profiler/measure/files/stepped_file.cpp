#include "profiler/measure/files/stepped_file.hpp"

#include <fmt/format.h>

#include <utility>

#include "profiler/measure/files/input_file.hpp"
#include "profiler/measure/files/module_variables.hpp"

namespace tilescope {
namespace {

simt::Program decoded(const std::string& contents, const std::string& entry) {
  if (input_file_of(contents) == InputFile::cubin)
    throw CannotStepFile(Status::unsupported,
                         "it is a cubin, and stepping executes PTX: give the PTX that it was made from");
  FileProgram file = decode_ptx_file(contents, entry);
  if (!file.program) throw CannotStepFile(file.status, file.reason);
  return std::move(*file.program);
}

}  // namespace

SteppedFile::SteppedFile(const std::string& contents, const Choice& choice)
    : program_(decoded(contents, choice.entry)),
      launch_(read_launch_file(choice.launch, program_.parameters)),
      arguments_(std::make_unique<FileArguments>(launch_, program_)) {
  set_variables(launch_, *arguments_, {program_, {}});
  const std::uint64_t blocks = launch_.grid.count();
  if (choice.block >= blocks)
    throw CannotStepFile(Status::launch_failed,
                         fmt::format("there is no block {}: the grid has {} {}", choice.block, blocks,
                                     blocks == 1 ? "block" : "blocks"));
  block_ = std::make_unique<SteppedBlock>(
      SteppedLaunch{
          program_, arguments_->launch(), arguments_->memory(), choice.block, "", {}, {}, sizes_, inputs_},
      simt::BlockStepper::Limits{}, choice.cancelled);
}

}  // namespace tilescope
