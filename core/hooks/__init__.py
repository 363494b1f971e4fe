"""Reading and changing activations through permanent, named hook points."""

from core.hooks.interventions import (
    Intervention,
    ablate_each_head,
    ablate_heads,
    intervene,
    replace_pattern,
)
from core.hooks.point import (
    HookPoint,
    PatternBuffer,
    Record,
    Trace,
    capture,
    captured,
    name_hook_points,
    to_host,
)
from core.hooks.sites import Site, at_layer, in_stream

__all__ = [
    "HookPoint",
    "Intervention",
    "PatternBuffer",
    "Record",
    "Site",
    "Trace",
    "ablate_each_head",
    "ablate_heads",
    "at_layer",
    "capture",
    "captured",
    "in_stream",
    "intervene",
    "name_hook_points",
    "replace_pattern",
    "to_host",
]
