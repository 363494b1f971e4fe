"""The app with models whose heads have lost the hook points of their logits, or named others."""

from importlib.util import find_spec
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from torch import nn

from app import ask
from app.browser_files import BrowserFiles
from app.first_style import FirstStyle
from core.checkpoints import Checkpoint, load_checkpoint
from core.hooks import HookPoint


def load_without(name: str, **options: Any) -> Checkpoint:
    """The checkpoint; where its logits passed a hook point stands the identity.

    The hook points of ALBERT's patterns are there, under another name.
    """
    checkpoint = load_checkpoint(name, **options)
    for path, module in list(checkpoint.model.named_modules()):
        head, _, point = path.rpartition(".")
        if point == "logits" and isinstance(module, HookPoint):
            setattr(checkpoint.model.get_submodule(head), point, nn.Identity())
        if name == "albert" and point == "pattern" and isinstance(module, HookPoint):
            module.path = f"{head}.weights"
    return checkpoint


ask.load_checkpoint = load_without  # type: ignore[attr-defined]
shell = find_spec("app.shell")
assert shell is not None
assert shell.origin is not None
app = st.App(shell.origin, middleware=[Middleware(BrowserFiles), Middleware(FirstStyle)])
