#!/bin/sh
# compiler_launcher.sh COMPILER ARGUMENT ...: every compiler command of a build starts with this, so that the commands
# are the same before and after ccache is installed and ninja compiles nothing again. Runs the compiler through ccache
# where that is installed, except with TILESCOPE_COLD=1.
if [ "${TILESCOPE_COLD:-}" = 1 ] || ! command -v ccache >/dev/null; then
  exec "$@"
fi
# shellcheck source=cmake/user_folders.sh
. "${0%/*}/user_folders.sh"
cache=$(cache_folder)
[ -n "$cache" ] || exec "$@"
CCACHE_DIR=$cache/ccache
[ -w "$CCACHE_DIR" ] || mkdir -p "$CCACHE_DIR" 2>/dev/null || exec "$@"
# A file that others could have put there would become a part of the program.
[ -z "$(why_untrusted "$cache")$(why_untrusted "$CCACHE_DIR")" ] || exec "$@"
# Paths below the repository are made relative, so that another clone finds the same results; messages keep full paths.
CCACHE_BASEDIR=${0%/cmake/*}
CCACHE_ABSSTDERR=1
# The size and time of a wrapper called g++ say nothing about the compiler behind it; its description has the version
# with the distribution's revision, and takes 2 ms.
CCACHE_COMPILERCHECK='%compiler% -v'
# ccache uses precompiled headers only with the first two. Generated headers are as new as the compilation, which would
# make ccache read all headers through the preprocessor.
CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
CCACHE_MAXSIZE=4G
export CCACHE_DIR CCACHE_BASEDIR CCACHE_ABSSTDERR CCACHE_COMPILERCHECK CCACHE_SLOPPINESS CCACHE_MAXSIZE
exec ccache "$@"
