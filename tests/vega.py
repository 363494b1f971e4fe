"""Reads the specifications that figures of Altair become."""

from typing import Any


def rows_of(spec: dict[str, Any], *views: dict[str, Any]) -> list[dict[str, Any]]:
    """The data of a view: its own, or that of the nearest view around it.

    Args:
        spec: the whole chart.
        views: from the outermost that holds the view to the view itself.
    """
    data = next(view["data"] for view in (*reversed(views), spec) if "data" in view)
    rows: list[dict[str, Any]] = spec["datasets"][data["name"]]
    return rows
