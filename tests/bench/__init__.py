"""How fast the workflow is, measured on a synthetic site against goals."""
