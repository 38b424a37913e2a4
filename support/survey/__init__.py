"""The survey: instruments, whoever fills them in, and the file of answers."""
