"""How much memory a result holds, for the caches that are bounded in bytes."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import fields, is_dataclass

import numpy as np
import torch

_OBJECT = 100  # bytes of an object whose inside is not known


def size_of(value: object) -> int:
    """Bytes of a value and of all that it holds, whatever is held twice counted once.

    Counted are arrays, tensors, strings, bytes, numbers, lists, tuples, sets, mappings and
    dataclasses, at any depth, and figures of Plotly. Arrays that share memory count as the memory
    that they share.
    """
    total, met, kept, left = 0, set[int](), list[object](), [value]
    while left:
        one = left.pop()
        if isinstance(one, torch.Tensor):
            one = one.untyped_storage()
            identity = one.data_ptr()
        else:
            while isinstance(one, np.ndarray) and isinstance(one.base, np.ndarray):
                one = one.base
            identity = id(one)
        if identity in met:
            continue
        met.add(identity)
        kept.append(one)  # or its identity might be that of another one later
        if isinstance(one, torch.UntypedStorage):
            total += one.nbytes()
        elif isinstance(one, np.ndarray):
            total += one.nbytes + _OBJECT
        elif isinstance(one, str | bytes | bytearray | int | float | complex | None):
            total += sys.getsizeof(one)
        elif isinstance(one, Mapping):
            total += sys.getsizeof(one)
            left += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | AbstractSet):
            total += sys.getsizeof(one)
            left += one
        elif hasattr(one, "to_plotly_json"):  # a figure of Plotly, which is not imported here
            left.append(one.to_plotly_json())
        else:
            total += _OBJECT
            if is_dataclass(one) and not isinstance(one, type):
                left += [getattr(one, part.name) for part in fields(one)]
    return total
