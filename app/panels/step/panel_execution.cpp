#include <memory>
#include <string>
#include <vector>

#include "app/explorer/explorer.hpp"
#include "app/explorer/step/block_stepping.hpp"
#include "app/gui/panel.hpp"
#include "app/panels/step/execution_pane.hpp"

namespace tilescope {

namespace {

class ExecutionPanel : public Panel {
 public:
  ExecutionPanel() : Panel("execution", "Execution", {420, 220}, PanelRole::stepped_block) {}

  bool asks_worker() const override { return true; }
  bool is_outdated(const Explorer& explorer) const override {
    return explorer.board().get<BlockStepping>().stop() &&
           explorer.board().get<BlockStepping>().is_outdated();
  }
  std::vector<std::string> options() const override { return {pane_.option()}; }
  void take_option(const std::string& line) override { pane_.take_option(line); }

 protected:
  void draw(Explorer& explorer) override {
    pane_.draw(explorer.board().get<BlockStepping>(),
               [&explorer](const WarpStop& warp) { explorer.show_line(warp.line, warp.inlined); });
  }

 private:
  ExecutionPane pane_;
};

const RegisterPanel register_execution_panel{[] { return std::make_unique<ExecutionPanel>(); }};

}  // namespace

}  // namespace tilescope
