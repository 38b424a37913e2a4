"""What comes in by mail, honest and hostile, with what has to become of it, and mails whose
sending breaks off: for tests and a notebook."""
