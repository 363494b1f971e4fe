"""The card of a model as HTML: a small part of Markdown, everything else as plain text.

Cards come with models, and models come from anywhere: no tag, no link, no picture and no style of
a card reaches the page. Known are headings, paragraphs, lists, tables, indented and fenced code,
``code``, **bold** and *italic*.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

LONGEST_CARD, LONGEST_LINE = 60_000, 4_000  # in characters; the rest is left out

_HEADING = re.compile(r"(#{1,6}) +(.*?) *#*")
_ITEM = re.compile(r"(?:[-*+]|[0-9]{1,3}[.)]) +(.*)")
_RULE = re.compile(r"\|?(?: *:?-+:? *\|)+ *(?::?-+:? *)?")
_LINK = re.compile(r"!?\[([^\]\n]*)\]\((\S*?)(?: [^)\n]*)?\)")
_MARKS = (
    (re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"), r"<b>\1</b>"),
    (re.compile(r"(?<![\w*])\*(?=\S)([^*]+?)(?<=\S)\*(?![\w*])"), r"<i>\1</i>"),
)
_FENCES = ("```", "~~~")


def card_html(card: str, *, level: int = 3) -> str:
    """The card without its first heading, which is the title.

    Args:
        card: Markdown.
        level: of the page's headings that ``##`` becomes.
    """
    lines = _without_comments(card[:LONGEST_CARD]).splitlines()
    return "".join(_block(kind, block, level) for kind, block in _blocks(lines))


def _without_comments(card: str) -> str:
    first, *others = card.split("<!--")
    kept = [first]
    for other in others:
        _comment, ended, after = other.partition("-->")
        kept.append(after if ended else f"<!--{other}")
    return "".join(kept)


def _blocks(lines: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Stretches of lines with what they are."""
    kind, fence = "", ""
    block: list[str] = []
    for line in lines:
        if fence or line.startswith(_FENCES):
            if not fence:
                if block:
                    yield kind, block
                kind, block, fence = "code", [], line[:3]
            elif line.startswith(fence):
                yield kind, block
                kind, block, fence = "", [], ""
            else:
                block.append(line)
            continue
        found = _kind(line, kind)
        if found in ("heading", "") or found != kind:
            if block:
                yield kind, block
            kind, block = found, []
        if found:
            block.append(line)
    if block:
        yield kind, block


def _kind(line: str, before: str) -> str:
    if not line.strip():
        return ""
    if before == "list" and line.startswith(" "):
        return "list"  # an item goes on
    if line.startswith(("    ", "\t")) and before in ("", "code"):
        return "code"
    if _HEADING.fullmatch(line):
        return "heading"
    if line.startswith("|"):
        return "table"
    return "list" if _ITEM.fullmatch(line) else "text"


def _block(kind: str, lines: list[str], level: int) -> str:
    match kind:
        case "heading":
            found = _HEADING.fullmatch(lines[0])
            depth = len(found[1]) if found else 1
            if depth == 1:
                return ""
            tag = f"h{min(6, level + depth - 2)}"
            return f"<{tag}>{_line(found[2] if found else '')}</{tag}>"
        case "code":
            return f"<pre>{escape(chr(10).join(line.removeprefix('    ') for line in lines))}</pre>"
        case "table":
            return _table(lines)
        case "list":
            return f"<ul>{''.join(f'<li>{_line(item)}</li>' for item in _items(lines))}</ul>"
        case _:
            return f"<p>{_line(' '.join(line.strip() for line in lines))}</p>"


def _items(lines: list[str]) -> list[str]:
    items: list[str] = []
    for line in lines:
        found = _ITEM.fullmatch(line)
        if found is None and items:
            items[-1] += f" {line.strip()}"
        else:
            items.append(found[1] if found else line.strip())
    return items


def _table(lines: list[str]) -> str:
    rows = [_cells(line) for line in lines if not _RULE.fullmatch(line.strip())]
    has_head = len(rows) < len(lines)
    written = []
    for number, row in enumerate(rows):
        tag = "th" if has_head and number == 0 else "td"
        cells = "".join(f"<{tag}>{_line(cell)}</{tag}>" for cell in row)
        written.append(f"<tr>{cells}</tr>")
    return f"<table>{''.join(written)}</table>"


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]


def _line(text: str) -> str:
    """Marks within a line; what stands in backticks is left as it is."""
    parts = _LINK.sub(_named, text[:LONGEST_LINE]).split("`")
    if len(parts) % 2 == 0:  # one backtick without its partner
        parts[-2:] = [f"{parts[-2]}`{parts[-1]}"]
    return "".join(
        f"<code>{escape(part)}</code>" if number % 2 else _marked(escape(part))
        for number, part in enumerate(parts)
    )


def _named(link: re.Match[str]) -> str:
    """A link as words: where it leads stands beside it, for those who want to go there."""
    return f"{link[1]} ({link[2]})" if link[2] else link[1]


def _marked(escaped: str) -> str:
    for mark, written in _MARKS:
        escaped = mark.sub(written, escaped)
    return escaped
