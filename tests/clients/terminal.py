"""A terminal for programs that want one, driven by lines on standard input.

    terminal.py COLUMNS ROWS PROGRAM ARGUMENT...

Orders, one a line, each answered by one line of JSON:

    until TEXT      waits until the screen shows TEXT, and the frame that brought it is whole
    without TEXT    waits until it does not
    keys TEXT       types; \\x1b and the like mean what they mean in Python
    size C R        makes the terminal another size
    signal NAME     sends the program SIGNAME
    end             waits for the program's end; says how it left the terminal

The answer is the screen, or of `end` the exit code, whether the terminal's settings are those from before, whether the
program's own screen was left and the cursor shown again. It knows as much of a terminal as ratatui uses.
"""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import sys
import termios
import time

FOREVER = 120
QUIET = 0.2
ESCAPE = re.compile(rb"\x1b(?:\[([0-9;?>=]*)([@-~])|[()][A-Za-z0-9]|[=>78cDEHM])")


class Screen:
    def __init__(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.own, self.cursor, self.colours = False, True, False
        self.left = b""
        self.clear()

    def clear(self):
        self.x = self.y = 0
        self.cells = [[" "] * self.columns for _ in range(self.rows)]

    def resize(self, columns, rows):
        self.columns, self.rows = columns, rows
        self.clear()

    def feed(self, data):
        data = self.left + data
        at = 0
        while at < len(data):
            if data[at] == 0x1B:
                found = ESCAPE.match(data, at)
                if not found:
                    if len(data) - at < 32:
                        break
                    at += 1
                    continue
                if found.group(2):
                    self.control(found.group(1).decode(), found.group(2).decode())
                at = found.end()
            elif data[at] < 0x20:
                if data[at] == 0x0D:
                    self.x = 0
                elif data[at] == 0x0A:
                    self.y = min(self.y + 1, self.rows - 1)
                at += 1
            else:
                length = 1 if data[at] < 0x80 else 2 if data[at] < 0xE0 else 3 if data[at] < 0xF0 else 4
                if at + length > len(data):
                    break
                self.put(data[at : at + length].decode("utf-8", "replace"))
                at += length
        self.left = data[at:]

    def put(self, text):
        if self.y < self.rows and self.x < self.columns:
            self.cells[self.y][self.x] = text
        self.x += 1

    def control(self, parameters, final):
        numbers = [int(n) for n in re.findall(r"\d+", parameters)]
        if parameters.startswith("?"):
            if 1049 in numbers:
                self.own = final == "h"
                self.clear()
            if 25 in numbers:
                self.cursor = final == "h"
        elif final == "H":
            self.y = (numbers[0] if numbers else 1) - 1
            self.x = (numbers[1] if len(numbers) > 1 else 1) - 1
        elif final == "J":
            self.cells = [[" "] * self.columns for _ in range(self.rows)]
        elif final == "K" and self.y < self.rows:
            self.cells[self.y][self.x :] = [" "] * (self.columns - self.x)
        elif final == "C":
            self.x += numbers[0] if numbers else 1
        elif final == "m":
            self.colours = self.colours or any(30 <= n <= 48 and n != 39 for n in numbers)

    def lines(self):
        return ["".join(row).rstrip() for row in self.cells]


class Terminal:
    def __init__(self, columns, rows, command):
        self.master, self.slave = pty.openpty()
        self.screen = Screen(columns, rows)
        self.size(columns, rows)
        self.before = termios.tcgetattr(self.slave)
        self.status = None
        self.pid = os.fork()
        if self.pid == 0:
            os.setsid()
            fcntl.ioctl(self.slave, termios.TIOCSCTTY, 0)
            for fd in range(3):
                os.dup2(self.slave, fd)
            os.closerange(3, 64)
            os.execv(command[0], command)

    def size(self, columns, rows):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, wait):
        if select.select([self.master], [], [], wait)[0]:
            self.screen.feed(os.read(self.master, 65536))
            return True
        return False

    def over(self):
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
        return self.status is not None

    def wait(self, wanted):
        start = time.monotonic()
        while time.monotonic() - start < FOREVER:
            if wanted():
                return True
            ended = self.over()
            if not self.read(0.05) and ended:
                return wanted()
        return False

    def settle(self):
        """Reads on until nothing more comes: a frame larger than a terminal's buffer arrives in parts."""
        start = time.monotonic()
        while time.monotonic() - start < FOREVER and not self.over() and self.read(QUIET):
            pass

    def answer(self, ok):
        said = {"ok": ok, "screen": self.screen.lines(), "colours": self.screen.colours, "own": self.screen.own}
        if self.status is not None:
            said["code"] = os.waitstatus_to_exitcode(self.status)
            said["settings"] = termios.tcgetattr(self.slave) == self.before
            said["cursor"] = self.screen.cursor
        print(json.dumps(said), flush=True)


def main():
    terminal = Terminal(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
    shows = lambda text: any(text in line for line in terminal.screen.lines())
    for line in sys.stdin:
        order, _, rest = line.rstrip("\n").partition(" ")
        ok = True
        if order == "until":
            ok = terminal.wait(lambda: shows(rest))
            terminal.settle()
        elif order == "without":
            ok = terminal.wait(lambda: not shows(rest))
        elif order == "keys":
            os.write(terminal.master, rest.encode().decode("unicode_escape").encode("latin-1"))
        elif order == "size":
            columns, rows = map(int, rest.split())
            terminal.screen.resize(columns, rows)
            terminal.size(columns, rows)
        elif order == "signal":
            os.kill(terminal.pid, getattr(signal, "SIG" + rest))
        elif order == "end":
            ok = terminal.wait(terminal.over)
            while terminal.read(0):
                pass
        terminal.answer(ok)
    if not terminal.over():
        os.kill(terminal.pid, signal.SIGKILL)


main()
