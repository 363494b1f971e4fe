"""The Streamlit app around `core`."""
