#pragma once

#include <cstdint>

#include "profiler/execution/ptx/syntax.hpp"
#include "profiler/execution/ptx/text/lexer.hpp"
#include "profiler/execution/ptx/text/line_table.hpp"
#include "profiler/execution/ptx/text/names.hpp"

namespace tilescope::ptx {

/// State shared by the readers of a module.
struct Reading {
  explicit Reading(Module& into)
      : module(into),
        lexer(*into.text),
        initial_bytes_left((std::uint64_t{1} << 20) + 16 * into.text->size()) {}

  Module& module;
  Lexer lexer;
  Names names;
  LineTable lines;
  /// [B] left for initialised variables: a text may declare a large array that is mostly zeros.
  std::uint64_t initial_bytes_left;
};

}  // namespace tilescope::ptx
