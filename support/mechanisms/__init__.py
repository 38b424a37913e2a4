"""How a group decides: generators of finished rounds. Mechanisms orchestrate; they never call a model themselves."""
