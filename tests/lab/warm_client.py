# ruff: noqa: F821, I001, PTH109, PTH118, PTH119, PTH120, PTH208, SIM105
# A program called like Python that has the helper of `warm.py` fork a process for it. REAL, SOCKET and FIRST are set
# above. It imports only what is in the interpreter itself, so that it starts in milliseconds.
import marshal
import os
import sys
from _signal import SIG_IGN, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, getsignal, signal

import _socket

words = FIRST + [word for word in sys.argv[1:2] if word != "-B"] + sys.argv[2:]  # all imports are already compiled
VARIABLES = "PYTHONHASHSEED", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "LC_ALL"


def can_be_forked():
    at = 0
    while words[at : at + 1] in (["-W"], ["-P"]):
        at += 2 if words[at] == "-W" else 1
    first, second = [*words[at : at + 2], "", ""][:2]
    # With all its plugins, pytest would try to rewrite modules that the helper has imported.
    plain_pytest = second == "pytest" and "PYTEST_DISABLE_PLUGIN_AUTOLOAD" in os.environ
    ours = second.split(".")[0] in ("factscope", "tests") or plain_pytest
    return (first == "-c" or first.endswith(".py") or (first == "-m" and ours)) and not any(
        os.environ.get(name) for name in VARIABLES
    )


def open_files():
    for name in os.listdir("/proc/self/fd"):
        try:
            if os.get_inheritable(int(name)):
                yield int(name)
        except OSError:
            continue


if not can_be_forked():
    os.execv(REAL, [REAL, *words])
files = list(open_files())
request = {
    "words": words,
    "first": [sys.argv[0]] if FIRST else [],
    "folder": os.getcwd(),
    "environment": dict(os.environ),
    "files": files,
    "python": os.path.join(os.path.dirname(SOCKET), os.path.basename(REAL)),
    "ignores_interrupts": getsignal(SIGINT) == SIG_IGN,
}
content = marshal.dumps(request)
line = _socket.socket(_socket.AF_UNIX)
line.connect(SOCKET)
rights = b"".join(file.to_bytes(4, sys.byteorder) for file in files)
line.sendmsg([len(content).to_bytes(4, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, rights)])
left = memoryview(content)
while left:
    left = left[line.send(left) :]
pid = 0
waiting = []


def pass_on(number, frame):
    if not pid:
        waiting.append(number)
        return
    try:
        os.kill(pid, 9 if number == SIGUSR1 else number)
    except OSError:
        pass


for number in (SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2):
    if getsignal(number) != SIG_IGN:
        signal(number, pass_on)
for file in files:
    os.close(file)
pid = int.from_bytes(line.recv(4), "big")
for number in waiting:
    pass_on(number, None)
answer = line.recv(4)
status = int.from_bytes(answer, "big", signed=True) if answer else 1
if status < 0:
    if status not in (-9, -19):
        signal(-status, 0)
    os.kill(os.getpid(), -status)
os._exit(status)
