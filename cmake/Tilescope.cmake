# How a unit of Tilescope is declared: one call for a library, one for a test, one for a benchmark.

# Warnings are errors here and only here: who embeds our libraries does not inherit them.
add_library(tilescope_warnings INTERFACE)
target_compile_options(tilescope_warnings INTERFACE -Wall -Wextra -Wconversion -Wshadow -Werror)

# tilescope_library(NAME SOURCES a.cpp ... DEPENDS target ...)
# Headers are included by their path from the repository's root: #include "profiler/compile/nvrtc.hpp".
# Every header beside the sources is compiled alone by the target all_verify_interface_header_sets.
function(tilescope_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE tilescope_warnings)
  tilescope_headers_beside(headers ${ARG_SOURCES})
  if(TILESCOPE_TESTS AND headers)
    target_sources(${name} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${headers})
    set_target_properties(${name} PROPERTIES VERIFY_INTERFACE_HEADER_SETS ON)
  endif()
endfunction()

# The headers in the folders of the given sources.
function(tilescope_headers_beside result)
  set(headers)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source PARENT_PATH folder)
    file(GLOB beside CONFIGURE_DEPENDS ${folder}/*.hpp)
    list(APPEND headers ${beside})
  endforeach()
  list(REMOVE_DUPLICATES headers)
  set(${result} ${headers} PARENT_SCOPE)
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

# tilescope_python_test(NAME a_test.py [LABELS gpu]): a script that exits with 0 when it passes and 77 when it cannot run here.
# It is told the build by TILESCOPE_BUILD_DIR and runs under the Python that the Debian packages belong to.
function(tilescope_python_test name script)
  cmake_parse_arguments(ARG "" "" "LABELS" ${ARGN})
  if(NOT TILESCOPE_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${TILESCOPE_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/${script})
  set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "${ARG_LABELS}"
    ENVIRONMENT "TILESCOPE_BUILD_DIR=${CMAKE_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
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
