"""What the attention explorer says when a view is saved."""

from app.i18n import _


def export_strings() -> dict[str, str]:
    """Strings in the reader's language, by the names under which the scripts know them."""
    return {
        "exportTooLong": _(
            "The table would have {count} lines, and a spreadsheet opens at most {most}. "
            "Raise the threshold, or take the matrix of one head or the .npz file."
        ),
    }
