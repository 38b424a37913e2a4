"""Dialogue acts (section 4.3, appendix C.5): what they are, who labels them, and how far labels can be trusted."""
