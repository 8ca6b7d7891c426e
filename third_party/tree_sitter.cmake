# tree-sitter with its CUDA grammar: reads C++ files with host code, also those with errors. Both are C. The grammar is
# a table of 31 MB, whose file turns the optimiser off itself.
set(_tree_sitter ${TILESCOPE_DEPENDENCIES}/tree_sitter)
tilescope_third_party(tree_sitter
  INCLUDE ${_tree_sitter}/lib/include
  SOURCES ${_tree_sitter}/lib/src/lib.c ${_tree_sitter}/cuda/parser.c ${_tree_sitter}/cuda/scanner.c)
target_include_directories(tree_sitter PRIVATE ${_tree_sitter}/lib/src)
# As C11 with the functions of POSIX; its pointer arithmetic on empty arrays is not for the sanitizer.
target_compile_definitions(tree_sitter PRIVATE _POSIX_C_SOURCE=200112L _DEFAULT_SOURCE)
target_compile_options(tree_sitter PRIVATE -std=c11 $<$<NOT:$<CONFIG:Debug>>:-O1> -fno-sanitize=undefined)
