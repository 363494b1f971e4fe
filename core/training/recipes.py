"""What can be trained: the recipes of all systems, by objective."""

from __future__ import annotations

from dataclasses import replace

from core.models.recipe import Recipe
from core.models.registry import SYSTEMS


def _collected() -> dict[str, Recipe]:
    found = [
        replace(recipe, system=name)
        for name, system in SYSTEMS.items()
        for recipe in system.recipes
    ]
    return {
        own.objective: replace(
            own,
            variants={
                other.variant: other
                for other in found
                if other.variant and other.objective == own.objective
            },
        )
        for own in found
        if not own.variant
    }


RECIPES = _collected()


def recipe_of(objective: str, system: str | None = None) -> Recipe:
    """How an objective is learnt by a system, or by the one that learns it if none is named."""
    recipe = RECIPES[objective]
    return recipe if system is None else recipe.variants.get(system, recipe)
