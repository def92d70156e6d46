"""Train a language-model policy with GRPO on any registered environment."""
