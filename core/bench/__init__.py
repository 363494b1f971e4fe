"""Speed against Hugging Face's models: forward passes, training, decoding."""
