"""One finding: claim and source, the paper's figures, ours, the verdict, and what is different."""

from __future__ import annotations

import math
import re
from html import escape

import streamlit as st

from app.i18n import _
from app.lab.plan import write_plan
from app.navigation import PAGES
from app.sections.findings.bands import fall_at_end
from app.sections.findings.picture import draw_picture
from app.sections.findings.plans import smaller_plan
from app.sections.findings.published import PUBLISHED
from app.sections.findings.rule import draw_rule
from app.sections.findings.standing import Standing, State
from app.sections.findings.texts import WORDS
from app.sections.findings.words import MARKS, is_factor, setting_names, verdict_in_words
from app.state import open_page
from app.theme import primary
from core.experiments.table import MARGIN


def draw_card(standing: Standing) -> None:
    """Draw the card of a finding."""
    name = standing.experiment.name
    with st.container(key="finding-card", border=True, gap="small"):
        _draw_claim(standing)
        words, pictures = st.columns([0.41, 0.59], gap="medium")
        with words:
            _draw_published(name)
            draw_rule(standing)
        with pictures:
            if standing.runs:
                draw_picture(standing)
            else:
                _draw_nothing(name)
        _draw_differences(standing)


def _draw_claim(standing: Standing) -> None:
    experiment, state = standing.experiment, standing.state
    words = WORDS[experiment.name]
    mark = f"{MARKS[state]} {verdict_in_words(standing)}"
    kind = state.name.lower().replace("_", "-")
    st.html(
        f'<div class="finding-head"><h2 class="finding-claim">{escape(_(words.claim))}</h2>'
        f'<p class="verdict {kind}" role="status">{escape(mark)}</p></div>'
    )
    with st.container(horizontal=True, vertical_alignment="center", key="finding-source"):
        lines = [experiment.source]
        if standing.runs:
            facts = " · ".join(_origin(standing))
            lines.append(_("Ours: {facts}").format(facts=facts))
        body = "".join(f'<p class="finding-source">{escape(line)}</p>' for line in lines)
        st.html(body, width="stretch")
        if st.button(
            primary(_("Run a smaller one now")),
            key="finding-smaller",
            type="tertiary",
            help=_(words.smaller) if words.smaller else None,
        ):
            open_page(PAGES / "warm_up.py", {"lab": write_plan(smaller_plan(experiment))})


def _draw_published(name: str) -> None:
    published = PUBLISHED[name]
    rows = "".join(
        f'<tr title="{escape(one.where)}"><th scope="row">{escape(_(one.what))}'
        f"<small>{escape(one.where)}</small></th>"
        f"<td>{escape(_(one.value))}</td></tr>"
        for one in published.figures
    )
    title = _("The papers’ figures")
    st.html(
        f'<section class="finding-published"><h3>{escape(title)}'
        f"<span> · {escape(_(published.setting))}</span></h3>"
        f"<table><tbody>{rows}</tbody></table></section>"
    )


def _draw_nothing(name: str) -> None:
    words = _("Not recorded yet. This command records it, on whatever machine it runs:")
    st.html(
        f'<div class="finding-nothing"><p>{escape(words)}</p>'
        f"<code>python -m core experiments {escape(name)}</code></div>"
    )


def _draw_differences(standing: Standing) -> None:
    failed = standing.state in (State.NOT_HERE, State.CONTRARY)
    title = _("Why that may be") if failed else _("What is different here")
    text = " ".join([_(WORDS[standing.experiment.name].differs), *([_end(standing)] * failed)])
    st.html(f'<p class="finding-differs"><b>{escape(title)}.</b> {escape(text)}</p>')
    if standing.runs:
        st.html(f'<p class="lab-facts">{escape(" · ".join(_more(standing)))}</p>')


def _end(standing: Standing) -> str:
    """What the numbers themselves say of runs that may have been too short."""
    names = setting_names(standing.experiment)
    falls = {name: fall_at_end(standing.runs_of(one)) for one, name in names.items()}
    known = {name: fall for name, fall in falls.items() if not math.isnan(fall)}
    if not known or all(is_factor(one.first) for one in standing.experiment.claim):
        return ""
    name = max(known, key=lambda one: known[one])
    if known[name] < MARGIN:
        words = _(
            "In the last tenth of the steps no setting’s held-out loss fell by {margin} or more."
        )
    else:
        words = _(
            "In the last tenth of the steps the held-out loss still fell by {fall} with {name}:"
            " longer runs might end otherwise."
        )
    return words.format(margin=f"{MARGIN:g}", fall=f"{known[name]:.2f}", name=name)


def _origin(standing: Standing) -> list[str]:
    """Where the runs come from."""
    runs = standing.runs
    seconds = [run.wall_seconds for run in runs]
    commits = {re.sub(r"^([0-9a-f]{10})[0-9a-f]*", r"\1", run.commit) for run in runs}
    return [
        _("{count} runs, seeds {seeds}").format(
            count=len(runs), seeds=", ".join(sorted({str(run.seed) for run in runs}))
        ),
        ", ".join(sorted({run.device for run in runs})),
        _("{least} to {most} s a run").format(
            least=_seconds(min(seconds)), most=_seconds(max(seconds))
        ),
        _("commit {commit}").format(commit=", ".join(sorted(commits))),
    ]


def _seconds(value: float) -> str:
    return f"{value:.1f}" if value < 10 else f"{value:.0f}"


def _more(standing: Standing) -> list[str]:
    """What else is needed to make the runs again."""
    runs = standing.runs
    at_once = max(run.jobs for run in runs)
    busy = sum(run.processor_seconds for run in runs)
    return [
        f"torch {', '.join(sorted({run.torch for run in runs}))}",
        *([_("{count} runs side by side").format(count=at_once)] if at_once > 1 else []),
        _("{minutes} min of processor in all").format(minutes=f"{busy / 60:.1f}"),
        f"python -m core experiments {standing.experiment.name}",
    ]
