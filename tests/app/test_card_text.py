"""Cards: what they may do to a page, and what they may not."""

import re
import time

import pytest

from app.card_text import LONGEST_CARD, card_html
from core.checkpoints import bundled

ALLOWED = {
    "p", "h3", "h4", "h5", "h6", "ul", "li", "table", "tr", "th", "td", "pre", "code", "b", "i",
}  # fmt: skip
HOSTILE = """# Title
<script>alert(1)</script>
<img src=x onerror=alert(1)>

[click](javascript:alert(1)) ![picture](https://evil.example/p.png "x") <https://evil.example>

## <b onmouseover=alert(1)>Heading</b>

- **bold <i>** and *italic*, `<code>`
| <b> | `a|b` |
| --- | --- |
| [x]: http://evil | &lt; |

```html
<iframe src="//evil.example"></iframe>
```

    <svg onload=alert(1)>
:material/home: :red[no] $x$ a < b && c > d `unclosed
"""


def tags(html):
    return re.findall(r"<(/?)([^>\s/]+)([^>]*)>", html)


def test_nothing_but_plain_tags_without_attributes():
    for name, attributes in {(name, rest) for _end, name, rest in tags(card_html(HOSTILE))}:
        assert name in ALLOWED
        assert attributes == ""


def test_what_was_typed_is_shown():
    html = card_html(HOSTILE)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in html
    assert "click (javascript:alert(1))" in html
    assert "picture (https://evil.example/p.png)" in html
    assert "<pre>&lt;iframe src=&quot;//evil.example&quot;&gt;&lt;/iframe&gt;</pre>" in html
    assert "Title" not in html


def test_the_parts_of_a_card():
    html = card_html(
        "# T\n\nOne\nline.\n\n## Two\n\n- a\n  goes on\n- `b`\n\n1. c\n\n"
        "| x | y |\n| --- | ---: |\n| **1** | *2* |\n\n<!-- gone -->\n    a  code\n      more\n"
    )
    assert html == (
        "<p>One line.</p><h3>Two</h3><ul><li>a goes on</li><li><code>b</code></li></ul>"
        "<ul><li>c</li></ul><table><tr><th>x</th><th>y</th></tr>"
        "<tr><td><b>1</b></td><td><i>2</i></td></tr></table><pre>a  code\n  more</pre>"
    )


def test_every_bundled_card_is_read():
    for one in bundled():
        html = card_html((one.folder / "card.md").read_text(encoding="utf-8"))
        assert "<h3>Known weaknesses</h3><ul>" in html
        assert "<th>figure</th>" in html


@pytest.mark.parametrize("text", ["**", "*a ", "`", "[", "[a](", "| - ", "#", "<!--", "- \n", "\n"])
def test_a_strange_card_takes_no_time(text):
    before = time.thread_time()
    card_html(text * (2 * LONGEST_CARD // len(text)))
    assert time.thread_time() - before < 5.0
