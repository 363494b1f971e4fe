"""The findings of papers about training, and what our recorded runs say of each."""
