"""What a person who organises a seminar sees of it, as escaped HTML: who can do which date, the calendar, the mails,
the chat, the policies, the post. Pure functions of what is known; a dashboard puts them on a page.
"""
