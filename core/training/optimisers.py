"""Optimisers with their parameter groups."""

from __future__ import annotations

import torch
from torch import nn


def adamw(model: nn.Module, *, weight_decay: float = 0.01) -> torch.optim.AdamW:
    """AdamW that decays matrices but neither biases nor norms; the loop sets its rate.

    Loshchilov and Hutter 2019, "Decoupled Weight Decay Regularization". The second beta, 0.98, is
    that of Liu et al. 2019, "RoBERTa", section 3.1: large batches are steadier with it.
    """
    parameters = [one for one in model.parameters() if one.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.ndim > 1], "weight_decay": weight_decay},
        {"params": [p for p in parameters if p.ndim <= 1], "weight_decay": 0.0},
    ]
    on_gpu = any(one.is_cuda for one in parameters)
    return torch.optim.AdamW(groups, lr=0.0, betas=(0.9, 0.98), eps=1e-6, fused=on_gpu)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Give every parameter group the same learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate
