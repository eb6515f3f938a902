"""A program that takes the whole screen, as an editor does: draws, waits for a line, leaves."""

from __future__ import annotations

import curses


def main(window: curses.window) -> None:
    curses.echo()
    window.addstr(2, 10, "Menu of the day")
    window.addstr(4, 10, "Your choice: ")
    window.refresh()
    while True:
        choice = window.getstr(4, 23).decode()
        if choice == "q":
            return
        window.addstr(6, 10, f"You chose {choice}")
        window.clrtoeol()
        window.move(4, 23)
        window.clrtoeol()
        window.refresh()


if __name__ == "__main__":
    curses.wrapper(main)
    print("left the screen")
