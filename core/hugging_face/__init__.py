"""Hugging Face's layout: what maps its settings and the names of its tensors to ours."""
