# tools/doc_links.py: a rule of tools/check.py: links from one page of this repository to another
# lead somewhere.
import re
from typing import Iterator

from cxx_text import line_at
from repo import Finding, Repo


def anchors(text: str) -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    found: dict[str, int] = {}
    for heading in re.findall(r'^#{1,6}\s+(.*?)\s*#*$', without_code_blocks(text), re.MULTILINE):
        heading = re.sub(r'\[([^\]]*)\]\([^)]*\)', r'\1', heading)
        slug = re.sub(r'[^\w\- ]', '', heading.lower()).replace(' ', '-')
        count = found.get(slug, 0)
        found[slug] = count + 1
        if count:
            found[f'{slug}-{count}'] = 1
    return set(found)


def without_code_blocks(text: str) -> str:
    return re.sub(r'(?ms)^[ \t]*(```|~~~).*?^[ \t]*\1', lambda m: '\n' * m[0].count('\n'), text)


def check_links(repo: Repo) -> Iterator[Finding]:
    for path in repo.match({'.md'}):
        text = re.sub(r'`[^`\n]*`', lambda m: '`' * len(m[0]), without_code_blocks(repo.text(path)))
        for match in re.finditer(r'\]\(\s*<?([^)\s>]+)', text):
            if re.match(r'[a-z][a-z+.-]*:', match[1]):
                continue
            line = line_at(text, match.start())
            name, _, anchor = match[1].partition('#')
            base = repo.root if name.startswith('/') else (repo.root / path).parent
            target = (base / name.lstrip('/')).resolve() if name else (repo.root / path).resolve()
            if not target.is_relative_to(repo.root.resolve()) or not target.exists():
                yield Finding(path, line, f'link to {match[1]}: there is no such file')
            elif anchor and target.suffix == '.md' and anchor not in anchors(target.read_text()):
                yield Finding(path, line, f'link to {match[1]}: there is no such heading')
