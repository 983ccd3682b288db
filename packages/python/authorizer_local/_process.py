"""The process of one gateway, with its log."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
import weakref
from pathlib import Path
from typing import IO, Mapping, Sequence

# Becomes the gateway, which a child ends when standard input ends: also a test that is killed closes it, so no gateway
# is left. Ctrl-C must not end the gateway before the tests have read its log. The child is in the gateway's process
# group, so no other process gets the gateway's ID before it has ended.
_UNTIL_END = 'exec 3<&0 </dev/null; { read -r _; kill $$; } <&3 >/dev/null 2>&1 & exec "$0" "$@" 3<&-'
# The standard inputs. A copy in a forked process would keep the gateway running.
_inputs: weakref.WeakSet[IO[bytes]] = weakref.WeakSet()
os.register_at_fork(after_in_child=lambda: [stream.close() for stream in _inputs])
# Seconds for the gateway to end its functions: our choice.
_END = 10.0
# Seconds that the pipes may be later than an answer or the end: our choice.
_PIPE = 2.0
_CONSOLE = re.compile(r"(http://127\.0\.0\.1:\d+)/dev/console#secret=(\S+)")


class GatewayError(Exception):
    """The gateway did not start, has ended, or refused an order."""


def tool() -> str:
    """Return the path of the tool in this package."""
    path = Path(__file__).resolve().parent / "bin" / "authorizer-local"
    if not os.access(path, os.X_OK):
        raise GatewayError(f"{path} is missing: this package has no tool for this machine, so give its path as tool=")
    return str(path)


class Process:
    """A running ``authorizer-local serve``."""

    base: str
    secret: str

    def __init__(
        self, arguments: Sequence[str], *, path: str, cwd: str | None, env: Mapping[str, str] | None, timeout: float
    ) -> None:
        __tracebackhide__ = True
        self.lines: list[str] = []
        self._changed = threading.Condition()
        self._open = 2
        self._console: re.Match[str] | None = None
        command = ["/bin/sh", "-c", _UNTIL_END, path, "serve", "--port", "0", "--no-watch", *arguments]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=cwd, start_new_session=True,
            env=None if env is None else {**os.environ, **env})
        _inputs.add(self._process.stdin)
        streams = ((self._process.stdout, False), (self._process.stderr, True))
        self._readers = [threading.Thread(target=self._read, args=one, daemon=True) for one in streams]
        for reader in self._readers:
            reader.start()
        try:
            with self._changed:
                self._changed.wait_for(lambda: self._console or not self._open, timeout)
            if not self._console:
                why = "did not start" if not self._open else f"did not start within {timeout:g} s"
                raise GatewayError(f"the gateway {why}: {' '.join(command[3:])}\n{self.log(0)}")
        except BaseException:
            self.close()
            raise
        self.base, self.secret = self._console.groups()

    def _read(self, stream: IO[bytes], is_log: bool) -> None:
        with stream:
            for data in stream:
                line = data.decode("utf-8", "replace").rstrip("\n")
                with self._changed:
                    if is_log:
                        self.lines.append(line)
                    self._console = self._console or _CONSOLE.search(line)
                    self._changed.notify_all()
        with self._changed:
            self._open -= 1
            self._changed.notify_all()

    def log(self, start: int) -> str:
        """Return the lines of the log from a number on."""
        with self._changed:
            return "\n".join(self.lines[start:])

    def wait_for(self, word: str) -> None:
        """Wait until a line of the log has a word, at most two seconds: the pipe is later than the answer."""
        with self._changed:
            self._changed.wait_for(lambda: any(word in line for line in self.lines) or not self._open, _PIPE)

    def ended(self) -> bool:
        """Whether the gateway has ended, after the time that its pipes need to tell."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._open, 0.5)

    def close(self) -> int:
        """End the gateway, and return its exit code; negative for a signal."""
        if self._process.stdin and not self._process.stdin.closed:
            self._process.stdin.close()
        try:
            status = self._process.wait(_END)
        except BaseException as error:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            if not isinstance(error, subprocess.TimeoutExpired):
                raise
            return -signal.SIGKILL
        finally:
            for reader in self._readers:
                reader.join(_PIPE)
        return 128 - status if status > 128 else status
