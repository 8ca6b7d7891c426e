"""The names that a C++ file defines only for itself, which decide which files can be compiled as one."""

import re

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
TYPE = re.compile(r"^(?:class|struct|enum class|enum) (\w+)", re.MULTILINE)
# "using Line = Row;", but not "using simt::Lanes;", "using namespace simt;" or "namespace m = model;": these define
# nothing, and several files may have the same one.
ALIAS = re.compile(r"^using (\w+) =", re.MULTILINE)
OTHER = re.compile(r"^(?!class|struct|enum|using|namespace|static_assert|template)"
                   r"(?:\[\[noreturn\]\] )?(?:\w[^\n(={;]*[ *&>])?([A-Za-z_]\w*)(?:\(|\{| =\s|;|\[)", re.MULTILINE)
MAIN = re.compile(r"^(?:int main|BENCHMARK_MAIN)\(", re.MULTILINE)


def own_names(text):
    """The names in a file's unnamed namespaces, found at the start of lines, and its main: two files that share one
    cannot be compiled as one. A missed name causes a compiler error, never another program."""
    unnamed = "".join(UNNAMED.findall(text))
    names = {*TYPE.findall(unnamed), *ALIAS.findall(unnamed), *OTHER.findall(unnamed)}
    main = {"main"} if MAIN.search(text) else set()
    return {name for name in names if not name.isupper()} | main  # without macros, TEST_F
