"""What an address would give: one module a question; `registry` holds those who recognise it."""
