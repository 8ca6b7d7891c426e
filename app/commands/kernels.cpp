#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "app/commands/text_table.hpp"
#include "profiler/catalogue/catalogue.hpp"
#include "profiler/installation.hpp"

namespace tilescope {
namespace {

constexpr std::size_t text_width = 104;

std::string values_text(const ParameterDeclaration& parameter) {
  std::string text;
  for (const ParameterValue& value : parameter.values) text += (text.empty() ? "" : " ") + to_string(value);
  return text;
}

std::string kernel_text(const KernelDeclaration& kernel) {
  using Align = TextTable::Align;
  std::string types;
  for (const DataType type : kernel.dtypes) types += (types.empty() ? "" : ", ") + to_string(type);
  const std::string place = kernel.rung > 0 ? fmt::format(" {}", kernel.rung) : "";
  std::string text =
      fmt::format("{} ({}{}): {}; {}\n", kernel.name, to_string(kernel.role), place, kernel.title, types);
  if (!kernel.parameters.empty()) {
    TextTable table;
    table.add_column("parameter", Align::left);
    table.add_column("default", Align::left);
    table.add_column("values", Align::left);
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      table.add_row({parameter.name, to_string(parameter.default_value), values_text(parameter)});
    }
    text += table.text(2);
    for (const ParameterDeclaration& parameter : kernel.parameters) {
      text += "  " + wrapped(parameter.name + ": " + parameter.help, text_width, 4) + "\n";
    }
  }
  for (const Constraint& constraint : kernel.constraints) {
    text += "  " + wrapped("constraint: " + constraint.text, text_width, 4) + "\n";
  }
  if (kernel.card) {
    text += "  " + wrapped("looks like: " + kernel.card->looks, text_width, 4) + "\n";
    text += "  " + wrapped("shown by: " + kernel.card->shown, text_width, 4) + "\n";
    text += "  " + wrapped("repaired by: " + kernel.card->repair, text_width, 4) + "\n";
  }
  return text;
}

std::string broken_text(const BrokenKernel& kernel) {
  std::string text =
      fmt::format("{}: its declaration cannot be used\n", kernel.source_path.filename().string());
  return text + "  " + wrapped(kernel.error, text_width, 2) + "\n";
}

class KernelsCommand : public Command {
 public:
  std::string name() const override { return "kernels"; }
  std::string summary() const override {
    return "The ladder and the baselines: parameters, values, defaults, constraints";
  }
  void declare_options(CLI::App& app) override { output_.declare_json(app); }

  ExitCode run() override {
    const Catalogue catalogue(find_installation().kernels);
    if (output_.json) {
      print_json(to_json_document(catalogue));
      return ExitCode::done;
    }
    std::string text;
    for (const KernelDeclaration& kernel : catalogue.kernels()) {
      text += (text.empty() ? "" : "\n") + kernel_text(kernel);
    }
    for (const BrokenKernel& kernel : catalogue.broken()) {
      text += (text.empty() ? "" : "\n") + broken_text(kernel);
    }
    print(text.empty() ? "There is no kernel in the catalogue.\n" : text);
    return ExitCode::done;
  }

 private:
  OutputOptions output_;
};

const RegisterCommand register_kernels{[] { return std::make_unique<KernelsCommand>(); }};

}  // namespace
}  // namespace tilescope
