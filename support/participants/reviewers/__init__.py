"""Who sits at the desk: approves plans, actions and mails, changes them, and decides about flags."""
