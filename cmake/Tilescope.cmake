# How a unit of Tilescope is declared: one call for a library, one for a test, one for a benchmark.

# Warnings are errors here and only here: who embeds our libraries does not inherit them.
add_library(tilescope_warnings INTERFACE)
target_compile_options(tilescope_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)
# GCC 12 sees an overlap in libstdc++'s own std::string that is not there (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tilescope_warnings INTERFACE -Wno-restrict)
endif()

# tilescope_library(NAME SOURCES a.cpp ... DEPENDS target ...)
# Headers are included by their path from the repository's root: #include "profiler/compile/nvrtc.hpp".
function(tilescope_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE tilescope_warnings)
endfunction()

# tilescope_test(NAME SOURCES a_test.cpp ... DEPENDS target ... [LABELS gpu])
# One executable a unit; its GoogleTest cases become ctest cases named NAME.Suite.Case.
function(tilescope_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LABELS" ${ARGN})
  if(NOT TILESCOPE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} GTest::gtest_main tilescope_warnings)
  target_compile_definitions(${name} PRIVATE TILESCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TILESCOPE_BUILD_DIR="${CMAKE_BINARY_DIR}")
  gtest_discover_tests(${name} TEST_PREFIX ${name}. PROPERTIES LABELS "${ARG_LABELS}" DISCOVERY_TIMEOUT 60)
endfunction()

# tilescope_benchmark(NAME SOURCES a_bench.cpp ... DEPENDS target ...): a Google Benchmark executable.
function(tilescope_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  if(NOT TILESCOPE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} benchmark::benchmark tilescope_warnings)
  target_compile_definitions(${name} PRIVATE TILESCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TILESCOPE_BUILD_DIR="${CMAKE_BINARY_DIR}")
endfunction()
