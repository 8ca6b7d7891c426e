"""The names that a C++ file defines only for itself, which decide which files can be compiled as one."""

import re

UNNAMED = re.compile(r"^namespace \{\n(.*?)^\}  // namespace$", re.MULTILINE | re.DOTALL)
TYPE = re.compile(r"^(?:class|struct|enum class|enum|using) (\w+)", re.MULTILINE)
OTHER = re.compile(r"^(?!class|struct|enum|using)(?:\w[^\n(={;]*[ *&>])?(\w+)(?:\(|\{| = |;|\[)", re.MULTILINE)


def own_names(text):
    """The names in a file's unnamed namespaces, found at the start of lines: two files that share one cannot be
    compiled as one. A missed name causes a compiler error, never another program."""
    unnamed = "".join(UNNAMED.findall(text))
    names = {*TYPE.findall(unnamed), *OTHER.findall(unnamed)}
    return {name for name in names if not name.isupper()}  # without macros, TEST_F
