# Functions that declare a unit of Tilescope: one call for a library, one for a test, one for a benchmark.

# A user's build never fails for a warning that another compiler has: CI and ./tilescope lint set this.
option(TILESCOPE_WARNINGS_AS_ERRORS "Fail at a warning in our own code" OFF)
# Warnings belong to our own targets: projects that embed our libraries do not inherit them.
add_library(tilescope_warnings INTERFACE)
target_compile_options(tilescope_warnings INTERFACE -Wall -Wextra -Wconversion
                                                    $<$<BOOL:${TILESCOPE_WARNINGS_AS_ERRORS}>:-Werror>)
# Under the sanitizers GCC 12 falsely reports uninitialised members in libstdc++'s std::function (GCC bug 105562).
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize")
  target_compile_options(tilescope_warnings INTERFACE -Wno-maybe-uninitialized)
  # As an object: a C source among an executable's would need the precompiled headers for C.
  add_library(tilescope_sanitizer_support OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer_support.c)
  target_sources(tilescope_warnings INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:tilescope_sanitizer_support>>)
endif()
# Not for unity builds: a local variable may have the name of one in another file that is compiled with it.
if(NOT TILESCOPE_UNITY)
  target_compile_options(tilescope_warnings INTERFACE -Wshadow)
endif()
# GCC 12 falsely reports overlapping copies in libstdc++'s std::string (GCC bug 105651), and copies of more than 2^63 bytes
# where a string is assigned and the lanes' precompiled header is used.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(tilescope_warnings INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
# GCC collects its garbage when it has 100 MB, which takes a tenth of its time; our files need 0.5 to 0.9 GB.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tilescope_warnings INTERFACE --param=ggc-min-heapsize=1000000)
endif()

# The headers that nearly every file reaches, read once for all files with the same options, with GoogleTest for tests.
# Off where each file is compiled alone, which shows a missing include: for clang-tidy, and in a debug build.
option(TILESCOPE_PRECOMPILED_HEADERS "Read the most used headers once" OFF)
set(TILESCOPE_STANDARD_HEADERS
  <algorithm> <array> <bit> <chrono> <cmath> <cstddef> <cstdint> <cstring> <filesystem> <fstream> <functional> <map>
  <memory> <optional> <set> <span> <stdexcept> <string> <string_view> <utility> <vector>)
set(TILESCOPE_COMMON_HEADERS ${TILESCOPE_STANDARD_HEADERS} <fmt/format.h> <nlohmann/json.hpp>)
# tilescope_precompile(NAME OPTIONS option ... HEADERS header ... [DEPENDS target ...]) NAME only holds the precompiled
# headers.
function(tilescope_precompile name)
  cmake_parse_arguments(ARG "" "" "OPTIONS;HEADERS;DEPENDS" ${ARGN})
  if(NOT TILESCOPE_PRECOMPILED_HEADERS)
    return()
  endif()
  file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cpp CONTENT "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/${name}.cpp)
  target_link_libraries(${name} PRIVATE fmt::fmt ${ARG_DEPENDS} tilescope_warnings)
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()
# GCC reads a precompiled header only where the macros that it depends on are the same, hence fmt for all.
function(tilescope_use_precompiled name from)
  if(TARGET ${from})
    target_link_libraries(${name} PRIVATE fmt::fmt)
    target_precompile_headers(${name} REUSE_FROM ${from})
    # ccache reads a preprocessed file that names the precompiled header instead of having its text.
    target_compile_options(${name} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>)
  endif()
endfunction()

# tilescope_cold(NAME) For code that takes longer to compile than it runs, as all programs' own files do. It gets
# TILESCOPE_COLD_OPTIONS, a preset's: -O1 takes a quarter less time than -O2, and with sanitizers -O0 takes less than half
# of the time of -O1.
function(tilescope_cold name)
  target_compile_options(${name} PRIVATE ${TILESCOPE_COLD_OPTIONS})
  # GCC 12 ends with an internal error where a precompiled header was read with another -O.
  tilescope_use_precompiled(${name} tilescope_precompiled)
endfunction()

# Loops over lanes and accesses are vectorised in every preset but the sanitizers', whose checks would make -O3 take
# twice as long as -O1.
set(TILESCOPE_LOOP_OPTIONS $<$<NOT:$<CONFIG:RelWithDebInfo>>:-O3>)

# tilescope_files_of(VARIABLE folder ...) The C++ files of folders, by their path from the current one. A build looks for
# files that were added since.
function(tilescope_files_of variable)
  set(patterns ${ARGN})
  list(TRANSFORM patterns APPEND /*.cpp)
  list(TRANSFORM patterns PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} ${patterns})
  if(NOT files)
    message(FATAL_ERROR "No C++ file in ${ARGN} below ${CMAKE_CURRENT_SOURCE_DIR}")
  endif()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# tilescope_library(NAME [OBJECT] [HOT] SOURCES a.cpp ... [FOLDERS folder ...] [EXCEPT b.cpp ...] DEPENDS target ...)
# Headers are included by their path from the repository's root: #include "profiler/kernels/compile/nvrtc.hpp". FOLDERS are those
# whose C++ files register themselves: all of them, but for EXCEPT, so that a new one needs no line here. OBJECT is for
# such a library, whose files a linker would leave out of an archive. HOT is for code whose speed the benchmarks show.
# Everything else is cold.
function(tilescope_library name)
  cmake_parse_arguments(ARG "OBJECT;HOT" "" "SOURCES;FOLDERS;EXCEPT;DEPENDS" ${ARGN})
  if(ARG_FOLDERS)
    tilescope_files_of(files ${ARG_FOLDERS})
    list(REMOVE_ITEM files ${ARG_EXCEPT})
    list(APPEND ARG_SOURCES ${files})
  endif()
  set(kind STATIC)
  if(ARG_OBJECT)
    set(kind OBJECT)
  endif()
  add_library(${name} ${kind} ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE tilescope_warnings)
  if(NOT ARG_HOT)
    tilescope_cold(${name})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILESCOPE_TARGETS ${name})
endfunction()

# Most of our files are short and include long headers (nlohmann/json, fmt, GoogleTest), which take longer to compile
# than the file itself, so several files of a target are compiled as one. They then share their unnamed namespace;
# unity_groups.py separates those that have a name in common. Off when each file must be compiled alone: for clang-tidy,
# and in a debug build.
option(TILESCOPE_UNITY "Compile several files of a target as one" OFF)
function(tilescope_unite_sources)
  get_property(targets GLOBAL PROPERTY TILESCOPE_TARGETS)
  set(lines)
  foreach(target IN LISTS targets)
    get_target_property(folder ${target} SOURCE_DIR)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
      cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
      string(APPEND lines "${target}:${source}\n")
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endforeach()
  file(WRITE ${CMAKE_BINARY_DIR}/unity_sources.txt "${lines}")
  set(instruction_sets)
  if(CMAKE_CXX_FLAGS MATCHES "-DHWY_COMPILE_ONLY_STATIC")
    set(instruction_sets --one-instruction-set)
  endif()
  execute_process(COMMAND ${TILESCOPE_PYTHON} ${PROJECT_SOURCE_DIR}/cmake/unity_groups.py ${instruction_sets}
    INPUT_FILE ${CMAKE_BINARY_DIR}/unity_sources.txt OUTPUT_FILE ${CMAKE_BINARY_DIR}/unity_groups.txt
    COMMAND_ERROR_IS_FATAL ANY)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cmake/unity_groups.py
                                                                 ${PROJECT_SOURCE_DIR}/cmake/unnamed_namespace.py)
  file(STRINGS ${CMAKE_BINARY_DIR}/unity_groups.txt grouped)
  foreach(line IN LISTS grouped)
    string(REGEX MATCH "^([^:]*):(.*):([^:]*)$" matched "${line}")
    set_source_files_properties(${CMAKE_MATCH_2} TARGET_DIRECTORY ${CMAKE_MATCH_1} PROPERTIES UNITY_GROUP ${CMAKE_MATCH_3})
  endforeach()
endfunction()

# tilescope_programs(NAME NEEDS target ... PROGRAMS MACRO=target ...) What a test or a benchmark starts or opens while it
# runs is built before it. The path of a program is in its macro.
function(tilescope_programs name)
  cmake_parse_arguments(ARG "" "" "NEEDS;PROGRAMS" ${ARGN})
  foreach(program IN LISTS ARG_PROGRAMS)
    string(REGEX MATCH "^(.*)=(.*)$" matched ${program})
    target_compile_definitions(${name} PRIVATE ${CMAKE_MATCH_1}="$<TARGET_FILE:${CMAKE_MATCH_2}>")
    add_dependencies(${name} ${CMAKE_MATCH_2})
  endforeach()
  if(ARG_NEEDS)
    add_dependencies(${name} ${ARG_NEEDS})
  endif()
endfunction()

# tilescope_test(NAME [HOT] SOURCES a_test.cpp ... DEPENDS target ... [NEEDS target ...] [PROGRAMS MACRO=target ...]
# [LABELS gpu]) One executable for a folder's tests, because linking and registering each one alone takes longer than
# compiling it; those that need a GPU are apart. Its GoogleTest cases become ctest cases named NAME.Suite.Case.
# TILESCOPE_TEST_OPTIONS, a preset's, are for the test's own files: the optimiser takes a third of their compile time,
# with sanitizers most of it. HOT is for tests that compute so much that they end sooner when they are optimised.
function(tilescope_test name)
  cmake_parse_arguments(ARG "HOT" "" "SOURCES;DEPENDS;NEEDS;PROGRAMS;LABELS" ${ARGN})
  if(NOT TILESCOPE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_property(GLOBAL APPEND PROPERTY TILESCOPE_TARGETS ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} tilescope_test_main tilescope_warnings)
  if(ARG_HOT)
    target_compile_options(${name} PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
  else()
    target_compile_options(${name} PRIVATE ${TILESCOPE_TEST_OPTIONS})
    tilescope_use_precompiled(${name} tilescope_precompiled_tests)
  endif()
  target_compile_definitions(${name} PRIVATE TILESCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TILESCOPE_BUILD_DIR="${CMAKE_BINARY_DIR}")
  tilescope_programs(${name} NEEDS ${ARG_NEEDS} PROGRAMS ${ARG_PROGRAMS})
  gtest_discover_tests(${name} TEST_PREFIX ${name}. PROPERTIES LABELS "${ARG_LABELS}" DISCOVERY_TIMEOUT 60)
endfunction()

# tilescope_python_test(NAME a_test.py [LABELS gpu]): a script that exits with 0 when it passes and 77 when it cannot
# run here. TILESCOPE_BUILD_DIR is the build folder. It runs with the Python of the Debian packages.
function(tilescope_python_test name script)
  cmake_parse_arguments(ARG "" "" "LABELS" ${ARGN})
  if(NOT TILESCOPE_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${TILESCOPE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${ARG_LABELS}"
    ENVIRONMENT "TILESCOPE_BUILD_DIR=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
endfunction()

# tilescope_benchmark(NAME SOURCES a_bench.cpp ... DEPENDS target ... [NEEDS target ...] [PROGRAMS MACRO=target ...]): a
# Google Benchmark executable.
function(tilescope_benchmark name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;NEEDS;PROGRAMS" ${ARGN})
  if(NOT TILESCOPE_TESTS)
    return()
  endif()
  add_executable(${name} ${ARG_SOURCES})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bench)
  target_link_libraries(${name} PRIVATE ${ARG_DEPENDS} benchmark::benchmark tilescope_warnings)
  target_compile_definitions(${name} PRIVATE TILESCOPE_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
                                             TILESCOPE_BUILD_DIR="${CMAKE_BINARY_DIR}")
  tilescope_programs(${name} NEEDS ${ARG_NEEDS} PROGRAMS ${ARG_PROGRAMS})
endfunction()
