#pragma once

#include <cstdint>
#include <functional>
#include <string>

/// The formats of the printf of CUDA: flags, width and precision (* too), h l ll z j t, and d i u o x X c s p f F e E g G a
/// A.
namespace tilescope::simt {

/// Where printf finds its arguments.
struct PrintfArguments {
  /// The bits of the next argument of 4 or 8 bytes.
  std::function<std::uint64_t(int bytes)> next;
  /// A string at an address of the kernel.
  std::function<std::string(std::uint64_t address)> text_at;
};

struct Printed {
  std::string text;
  /// How many arguments the format took: what printf returns.
  int arguments = 0;
};

/// A conversion that is not known is printed as it stands.
Printed format_printf(const std::string& format, const PrintfArguments& arguments);

}  // namespace tilescope::simt
