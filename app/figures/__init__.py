"""Charts with axes: arrays and strings in, an Altair or a Plotly figure out.

Nothing here knows of Streamlit, so a figure can be drawn in a notebook as well;
:func:`app.parts.figure.draw_figure` draws it on a page.
"""
