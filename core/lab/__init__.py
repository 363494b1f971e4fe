"""The warm-up lab: a small Transformer that is trained while somebody watches."""
