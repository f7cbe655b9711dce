# tools/cxx_text.py: reads C++ as text, well enough for tools/check.py. No parser: it errs on the
# side of seeing nothing, so that a finding is always worth reading.
import re
from typing import Iterator, NamedTuple

_TOKEN = re.compile(
    r'(?P<comment>//[^\n]*|/\*.*?\*/)'
    r'|(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")'
    r'|(?P<digits>(?<=[0-9a-fA-F])\'(?=[0-9a-fA-F]))'
    r'|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')',
    re.DOTALL)
_DIRECTIVE = re.compile(r'^[ \t]*#(?:[^\n]*\\\n)*[^\n]*', re.MULTILINE)
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"\n]+)[>"]', re.MULTILINE)
_TYPE = re.compile(r'\s*(?:template\s*<.*?>\s*)?(?:requires\b.*?)?'
                   r'(?:typedef\s+|static\s+|inline\s+|export\s+|friend\s+)*'
                   r'\b(?:namespace|class|struct|union|enum)\b', re.DOTALL)
# What may follow a parameter list (here: a form feed) before the body.
_AFTER_PARAMETERS = re.compile(
    r'\f(?:\s|\f|&|\b(?:const|noexcept|override|final|mutable|try|[A-Z_]{3,})\b)*'
    r'(?:(?:->|:|\brequires\b)[^\f]*(?:\f[^\f]*)*)?$')


class Include(NamedTuple):
    line: int
    quoted: bool  # "x" and not <x>
    name: str


class Function(NamedTuple):
    line: int
    name: str
    lines: int


def _spaces(text: str) -> str:
    return re.sub(r'[^\n]', ' ', text)


def blank(text: str, comments: bool = True) -> str:
    """The text with strings and (unless told otherwise) comments as spaces; quotes, line breaks
    and every offset stay."""
    def replace(match: re.Match) -> str:
        token = match.group()
        if match['comment']:
            return _spaces(token) if comments else token
        if match['raw'] or match['string']:
            return token[0] + _spaces(token[1:-1]) + token[-1]
        return token
    return _TOKEN.sub(replace, text)


def blank_directives(code: str) -> str:
    return _DIRECTIVE.sub(lambda match: _spaces(match.group()), code)


def unconditional(text: str) -> str:
    """The text without what is between an #if, #ifdef or #ifndef and its #endif."""
    kept, depth = [], 0
    for line in text.splitlines(keepends=True):
        directive = re.match(r'[ \t]*#[ \t]*(if|endif)', line)
        depth += 1 if directive and directive[1] == 'if' else 0
        kept.append(line if depth == 0 else '\n')
        depth -= 1 if directive and directive[1] == 'endif' else 0
    return ''.join(kept)


def line_at(text: str, offset: int) -> int:
    return text.count('\n', 0, offset) + 1


def includes(text: str) -> Iterator[Include]:
    for match in _INCLUDE.finditer(text):
        yield Include(line_at(text, match.start()), match[1] == '"', match[2])


def conditions(code: str) -> Iterator[tuple[int, str]]:
    """Line and condition of each #if, #ifdef, #ifndef and #elif of blanked code."""
    for match in re.finditer(r'^[ \t]*#[ \t]*(?:if|ifdef|ifndef|elif)\b((?:[^\n]*\\\n)*[^\n]*)',
                             code, re.MULTILINE):
        yield line_at(code, match.start()), match[1]


def _is_body(head: str) -> bool:
    """Whether the brace after `head` opens a function and not a type, a namespace or a value."""
    if _TYPE.match(head) or '(' not in head:
        return False
    plain = re.sub(r'\boperator\s*(?:\(\)|[^\s\w(]+)', 'operator ', head)
    for group in (r'\([^()]*\)', r'<[^<>()]*>'):  # no default arguments, no noexcept(a == b)
        while (inner := re.sub(group, '\f' if '(' in group else ' ', plain)) != plain:
            plain = inner
    return '=' not in plain and '(' not in plain and bool(_AFTER_PARAMETERS.search(plain))


def _is_member_initializer(head: str) -> bool:
    """Whether the brace after `head` is that of `Slab() : rows_{`."""
    return bool(re.search(r'\)\s*(?:noexcept\s*)?:(?!:)[^;]*[\w>]\s*$', head))


def functions(code: str) -> Iterator[Function]:
    """The functions of blanked code, their lambdas and local classes counted in."""
    code = blank_directives(code)
    code = re.sub(r'\b(?:public|private|protected)\s*:(?!:)', lambda m: _spaces(m[0]), code)
    scopes: list[tuple[str, int]] = []  # kind of each open brace, and where its head starts
    head_start = 0
    for match in re.finditer(r'[{};]', code):
        head = code[head_start:match.start()]
        if match[0] == '{':
            if any(kind == 'body' for kind, _ in scopes):
                kind = 'inner'
            elif _is_member_initializer(head):
                kind = 'value'
            else:
                kind = 'body' if _is_body(head) else 'other'
            scopes.append((kind, head_start + len(head) - len(head.lstrip())))
        elif match[0] == '}' and scopes:
            kind, start = scopes.pop()
            if kind == 'value':
                head_start = start  # the head goes on
                continue
            if kind == 'body':
                first = line_at(code, start)
                name = re.search(r'(?:\boperator\s*[^\s\w(]+|[~\w:]+)(?=\s*\()', code[start:])
                yield Function(first, name[0] if name else '?',
                               line_at(code, match.start()) - first + 1)
        head_start = match.end()
