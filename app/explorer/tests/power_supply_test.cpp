#include "app/explorer/prefetch/power_supply.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <string>

#include "app/explorer/tests/scratch_folder.hpp"

namespace tilescope {
namespace {

class PowerSupply : public testing::Test {
 protected:
  /// As the kernel lists a supply: a file for each property, each line with its end.
  void add(const std::string& name, const std::map<std::string, std::string>& properties) {
    std::filesystem::create_directories(scratch / name);
    for (const auto& [property, value] : properties)
      std::ofstream(scratch / name / property) << value << "\n";
  }
  bool on_battery() const { return is_on_battery(scratch.path()); }

  ScratchFolder scratch;
};

TEST_F(PowerSupply, AMachineWithoutABatteryIsOnMains) {
  EXPECT_FALSE(on_battery());
  EXPECT_FALSE(is_on_battery(scratch / "is_not_there"));
  add("AC", {{"type", "Mains"}, {"online", "0"}});
  EXPECT_FALSE(on_battery()) << "what else would it run on?";
}

TEST_F(PowerSupply, ABatteryThatDischargesIsInUse) {
  add("BAT0", {{"type", "Battery"}, {"status", "Discharging"}});
  EXPECT_TRUE(on_battery());
  add("AC", {{"type", "Mains"}, {"online", "0"}});
  EXPECT_TRUE(on_battery());
}

TEST_F(PowerSupply, AnAdapterThatIsConnectedCounts) {
  add("BAT0", {{"type", "Battery"}, {"status", "Discharging"}, {"online", "1"}});
  add("ucsi-source-psy-1", {{"type", "USB"}, {"online", "0"}});
  EXPECT_TRUE(on_battery());
  add("ucsi-source-psy-2", {{"type", "USB"}, {"online", "1"}});
  EXPECT_FALSE(on_battery());
}

TEST_F(PowerSupply, ABatteryThatChargesOrIsFullIsNotInUse) {
  for (const std::string status : {"Charging", "Full", "Not charging", "Unknown"}) {
    add("BAT0", {{"type", "Battery"}, {"status", status}});
    EXPECT_FALSE(on_battery()) << status;
  }
  add("BAT1", {{"type", "Battery"}, {"status", "Discharging"}});
  EXPECT_TRUE(on_battery()) << "one of two";
}

TEST_F(PowerSupply, TheBatteryOfAMouseDoesNotCount) {
  add("hidpp_battery_0", {{"type", "Battery"}, {"scope", "Device"}, {"status", "Discharging"}});
  EXPECT_FALSE(on_battery());
}

}  // namespace
}  // namespace tilescope
