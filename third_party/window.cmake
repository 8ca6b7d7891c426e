# The window's dependencies: GLFW, glad, Dear ImGui with docking, ImPlot. Built here rather than taken from the
# distribution, whose versions are older. All are SYSTEM and compiled without warnings, since they are not ours.
set(_bundle ${TILESCOPE_DEPENDENCIES}/imgui_bundle/external)
pkg_check_modules(freetype REQUIRED IMPORTED_TARGET freetype2)
pkg_check_modules(libpng REQUIRED IMPORTED_TARGET libpng)
add_library(libpng ALIAS PkgConfig::libpng)

# X11 and Wayland libraries are opened at run time; only their headers are needed here.
set(GLFW_BUILD_DOCS OFF CACHE BOOL "" FORCE)
set(GLFW_INSTALL OFF CACHE BOOL "" FORCE)
set(GLFW_BUILD_X11 ON CACHE BOOL "" FORCE)
set(GLFW_BUILD_WAYLAND ON CACHE BOOL "" FORCE)
set(GLFW_LIBRARY_TYPE STATIC CACHE STRING "" FORCE)
add_subdirectory(${_bundle}/glfw/glfw ${CMAKE_BINARY_DIR}/third_party/glfw EXCLUDE_FROM_ALL)
target_compile_options(glfw PRIVATE -w)
get_target_property(_glfw_include glfw INTERFACE_INCLUDE_DIRECTORIES)
set_target_properties(glfw PROPERTIES INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_glfw_include}")
# Every file that includes GLFW/glfw3.h takes OpenGL from glad, whatever the order of its includes.
target_compile_definitions(glfw INTERFACE GLFW_INCLUDE_NONE)

tilescope_third_party(glad
  INCLUDE ${TILESCOPE_DEPENDENCIES}/glad/include
  SOURCES ${TILESCOPE_DEPENDENCIES}/glad/src/gl.c
  DEPENDS ${CMAKE_DL_LIBS})

# FreeType rather than stb_truetype: it hints the CFF outlines of Inter, which stay legible at 13 pixels.
set(_imgui ${_bundle}/imgui/imgui)
tilescope_third_party(imgui
  INCLUDE ${_imgui} ${_imgui}/backends ${_imgui}/misc/cpp
  SOURCES ${_imgui}/imgui.cpp ${_imgui}/imgui_draw.cpp ${_imgui}/imgui_tables.cpp ${_imgui}/imgui_widgets.cpp
          ${_imgui}/imgui_stacklayout.cpp
          ${_imgui}/backends/imgui_impl_glfw.cpp ${_imgui}/backends/imgui_impl_opengl3.cpp
          ${_imgui}/misc/cpp/imgui_stdlib.cpp ${_imgui}/misc/freetype/imgui_freetype.cpp
  DEPENDS glfw glad PkgConfig::freetype)
# One OpenGL loader for all: glad's, with GLFW's functions. ImGui's own loader opens libGL by name, which an EGL-only
# server lacks. So gladLoadGL must come before ImGui_ImplOpenGL3_Init.
set_source_files_properties(${_imgui}/backends/imgui_impl_opengl3.cpp PROPERTIES
  COMPILE_DEFINITIONS IMGUI_IMPL_OPENGL_LOADER_CUSTOM COMPILE_OPTIONS "-include;glad/gl.h")
target_compile_definitions(imgui PUBLIC IMGUI_ENABLE_FREETYPE IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DISABLE_DEMO_WINDOWS)

set(_implot ${_bundle}/implot/implot)
tilescope_third_party(implot
  INCLUDE ${_implot}
  SOURCES ${_implot}/implot.cpp ${_implot}/implot_items.cpp
  DEPENDS imgui)
# Each of the ten numeric types that ImPlot has by default takes seconds to compile; the panels only plot doubles.
target_compile_definitions(implot PUBLIC "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)")
# Its templates take twice as long to compile at -O2, and nothing here plots enough points to notice.
target_compile_options(implot PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
