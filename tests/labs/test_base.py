"""What a widget does is done on the loop on which it was made, whichever thread its callback runs in."""

import asyncio
import threading

import ipywidgets as w

from support import person
from support.person import Press


def in_a_thread_with_a_loop_of_its_own(act):
    """As JupyterLab has callbacks run: in a subshell."""

    async def callback():
        act()

    thread = threading.Thread(target=lambda: asyncio.run(callback()))
    thread.start()
    return thread


def test_a_press_in_another_thread_answers_what_this_loop_waits_for(monkeypatch):
    monkeypatch.setattr(person, "SETTLE", 0)

    async def run():
        answer, button = asyncio.get_running_loop().create_future(), w.Button()
        press = Press(lambda: None, w.HTML())
        press.button(button, lambda: answer.set_result(threading.get_ident()))
        thread = in_a_thread_with_a_loop_of_its_own(button.click)
        assert await asyncio.wait_for(answer, 60) == threading.get_ident()
        thread.join()

    asyncio.run(run())
