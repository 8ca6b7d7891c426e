#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <memory>

#include "app/commands/command.hpp"
#include "app/commands/output.hpp"
#include "app/commands/sibling.hpp"
#include "sessions/session.hpp"

namespace tilescope {
namespace {

constexpr int largest_side = 16384;  // What OpenGL implementations draw into at least.

/// Throws WrongUsage unless the text is WxH in pixels.
void check_size(const std::string& text) {
  const char* end = text.data() + text.size();
  int width = 0;
  int height = 0;
  const auto [middle, width_error] = std::from_chars(text.data(), end, width);
  const bool has_height = width_error == std::errc() && middle != end && *middle == 'x';
  const auto [stopped, height_error] = std::from_chars(has_height ? middle + 1 : end, end, height);
  const bool in_range = width > 0 && height > 0 && width <= largest_side && height <= largest_side;
  if (!has_height || height_error != std::errc() || stopped != end || !in_range) {
    throw WrongUsage(fmt::format("--size '{}': give width x height in pixels, 1 to {}, such as 1280x720",
                                 text, largest_side));
  }
}

class Screenshot : public Command {
 public:
  std::string name() const override { return "screenshot"; }
  std::string summary() const override { return "A panel, or the whole window, as a picture"; }
  void declare_options(CLI::App& app) override {
    app.add_option("PANEL", panel_, "A panel's name, or window for all of it")->required()->type_name("");
    app.add_option("--session", session_, "The session to draw")->required()->type_name("FILE");
    app.add_option("--to", picture_, "The PNG to write")->required()->type_name("FILE.png");
    app.add_option("--size", size_, "Pixels: 1280x720")->type_name("WxH");
    app.add_option("--theme", theme_, "A theme of the window")->type_name("NAME");
    output_.declare_json(app);
  }

  ExitCode run() override {
    std::vector<std::string> more;
    if (!size_.empty()) {
      check_size(size_);
      more.insert(more.end(), {"--size", size_});
    }
    if (!theme_.empty()) more.insert(more.end(), {"--theme", theme_});
    load_session(session_);  // A damaged one is named here, before a window is opened for it.
    draw_picture(find_installation(), panel_, session_, picture_, more);
    if (output_.json) {
      print_json({{"file", picture_.string()}, {"panel", panel_}, {"session", session_.string()}});
    } else {
      print(fmt::format("{}\n", picture_.string()));
    }
    return ExitCode::done;
  }

 private:
  std::string panel_;
  std::filesystem::path session_;
  std::filesystem::path picture_;
  std::string size_;
  std::string theme_;
  OutputOptions output_;
};

const RegisterCommand registered{[] { return std::make_unique<Screenshot>(); }};

}  // namespace
}  // namespace tilescope
