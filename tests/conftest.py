"""What holds for every test."""

from hypothesis import settings

# The same examples every time, so that no other change is blamed for what chance found.
settings.register_profile("centinel", derandomize=True, deadline=None)
settings.load_profile("centinel")
