"""What a script begins on a page ends with its picture, because it is begun through its life."""

import re

from app.browser_files import browser_files

LIFE = "js/lib/life.js"
COMMENT = re.compile(r"//.*|/\*[\s\S]*?\*/")
# What outlives a picture whose nodes have left the page.
LASTING = re.compile(
    r"\bnew (?:Mutation|Resize|Intersection|Performance)Observer\b"
    r"|\bsetInterval\b|\brequestAnimationFrame\b|\brequestIdleCallback\b"
    r"|\b(?:window|document|document\.\w+|visualViewport|screen|history)\.addEventListener\b"
    r"|(?<![.\w])addEventListener\(|\bmatchMedia\(.*\)\.\w*[lL]istener\b"
)


QUERY = re.compile(r"\b(\w+) = matchMedia\(")


def found_in(script):
    code = COMMENT.sub("", script)
    of_queries = (rf"\b{name}\.(?:\w*[lL]istener|onchange)\b" for name in QUERY.findall(code))
    return LASTING.findall(code) + [one for of in of_queries for one in re.findall(of, code)]


def test_what_lasts_is_recognised():
    assert found_in("const watcher = new ResizeObserver(() => draw());")
    assert found_in("addEventListener('popstate', follow);")
    assert found_in("document.fonts.addEventListener('loadingdone', draw);")
    assert found_in("matchMedia('(min-width: 1px)').addEventListener('change', draw)")
    assert found_in(
        "const WIDE = matchMedia('(min-width: 1px)');\nWIDE.addEventListener('change', f);"
    )
    assert found_in(browser_files()[LIFE].content.decode())
    assert not found_in("button.addEventListener('click', press); // new ResizeObserver")


def test_nothing_that_lasts_is_begun_outside_of_a_life():
    found = {
        name: what
        for name, file in browser_files().items()
        if name.endswith(".js") and name != LIFE and (what := found_in(file.content.decode()))
    }
    assert not found
