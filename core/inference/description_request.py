"""The request about a model itself."""

from __future__ import annotations

from dataclasses import dataclass

from core.checkpoints import Checkpoint
from core.tasks.describe import Description, describe


@dataclass(frozen=True)
class DescribeRequest:
    """See :func:`core.tasks.describe.describe`."""

    checkpoint: str

    def run(self, checkpoint: Checkpoint) -> Description:
        """Compute the answer."""
        return describe(checkpoint)
