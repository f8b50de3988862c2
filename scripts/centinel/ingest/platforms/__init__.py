"""The platforms: each recognises its addresses, and makes an item of what it answers."""
