"""A helper process that loads the parsers once and forks a limited child for each reader.

Importing the parsers takes more than a second of processor time, which every child would otherwise spend again.
The helper has one thread, reads no content and ends with its parent, and so do its children. The parent starts it as
`python -m factscope.evidence.fork_server_process FD`, with a Unix socket on which each byte is a request:

- the byte of a parser with three descriptors asks for a child: its standard input, its standard output, and a socket of
  its own. On that socket the helper states the child's process id, and its return code at the end, as four bytes each;
  the parent closes it, or its sending side, to have the child killed;
- the byte of a parser alone asks to load its modules beforehand.
"""

from __future__ import annotations

import gc
import os
import select
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import NoReturn

from factscope.evidence.forked import NUMBER, REQUESTS
from factscope.evidence.sandbox import main as answer_jobs
from factscope.evidence.sandbox_parsers import PARSERS

_PARSERS = {request: name for name, request in REQUESTS.items()}


class _ForkingServer:
    def __init__(self, requests: socket.socket) -> None:
        self._requests = requests
        self._loaded: set[str] = set()
        self._children: dict[int, socket.socket] = {}
        self._selector = selectors.DefaultSelector()
        # Its writing end is closed only by the end of this process, which the children notice.
        self._lifeline = os.pipe()
        self._wake = socket.socketpair()

    def run(self) -> None:
        """Serve until the parent exits, then end all children."""
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the parent, which then ends this
        for end in self._wake:
            end.setblocking(False)
        signal.set_wakeup_fd(self._wake[1].fileno(), warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        self._selector.register(self._requests, selectors.EVENT_READ)
        self._selector.register(self._wake[0], selectors.EVENT_READ)
        try:
            while self._served():
                pass
        finally:
            for pid in self._children:
                os.kill(pid, signal.SIGKILL)
            while self._children:
                self._reap(os.waitpid(-1, 0))

    def _served(self) -> bool:
        """Handle the pending requests; return False when the parent has exited."""
        for key, _ in self._selector.select():
            if key.fileobj is self._requests:
                if not self._request():
                    return False
            elif key.fileobj is self._wake[0]:
                with suppress(BlockingIOError):
                    self._wake[0].recv(4_096)
                while self._children and (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    self._reap(ended)
            else:  # the parent wants this child to end; a signal then brings its return code
                self._selector.unregister(key.fileobj)
                if key.data in self._children:
                    os.kill(key.data, signal.SIGKILL)
        return True

    def _request(self) -> bool:
        request, descriptors, _, _ = socket.recv_fds(self._requests, 1, 3)
        if not request:
            return False
        name = _PARSERS[request]
        self._load(name)
        if descriptors:
            control = socket.socket(fileno=descriptors.pop())
            if _is_open(control):
                self._fork(name, descriptors, control)
            else:
                control.close()
            for descriptor in descriptors:
                os.close(descriptor)
        return True

    def _load(self, name: str) -> None:
        if name not in self._loaded:
            with suppress(ImportError):  # the child's first job reports it
                PARSERS[name].begin()
            gc.collect()
            gc.freeze()  # the children share these pages as long as nothing writes to them
        self._loaded.add(name)

    def _fork(self, name: str, streams: list[int], control: socket.socket) -> None:
        try:
            pid = os.fork()
        except OSError:  # too many processes: the parent sees the socket closed
            control.close()
            return
        if pid == 0:
            self._become_child(name, streams, control)
        self._children[pid] = control
        self._selector.register(control, selectors.EVENT_READ, pid)
        _state(control, pid)

    def _become_child(self, name: str, streams: list[int], control: socket.socket) -> NoReturn:
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for number, descriptor in enumerate(streams):
                os.dup2(descriptor, number)
                os.close(descriptor)
            # Close everything of the other children and the parent, otherwise their ends would go unnoticed.
            self._selector.close()
            for end in (self._requests, control, *self._wake, *self._children.values()):
                end.close()
            os.close(self._lifeline[1])
            answer_jobs(PARSERS[name], self._lifeline[0])
            status = 0
        finally:
            os._exit(status)

    def _reap(self, ended: tuple[int, int]) -> None:
        pid, status = ended
        control = self._children.pop(pid)
        with suppress(KeyError):
            self._selector.unregister(control)
        _state(control, os.waitstatus_to_exitcode(status))
        control.close()


def _is_open(control: socket.socket) -> bool:
    """Return whether the parent still needs the child that it asked for."""
    poll = select.poll()
    poll.register(control, select.POLLIN)
    return not poll.poll(0)


def _state(control: socket.socket, number: int) -> None:
    with suppress(OSError):  # the parent may have closed it meanwhile
        control.send(NUMBER.pack(number))


if __name__ == "__main__":
    _ForkingServer(socket.socket(fileno=int(sys.argv[1]))).run()
