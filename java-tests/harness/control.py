"""Commands to a running agent over its control socket, without the tool."""

import json
import pathlib
import socket
import struct


GREETING = b"iprof/3"


class Controlled:
    """A program that was started with control=PATH."""

    def __init__(self, path, patience_s):
        self.path, self.patience_s = str(path), patience_s

    def ask(self, verb, **options):
        """Sends a command and returns its answer, as a dictionary."""
        with self.given(verb, **options) as client:
            return answer_in(heard_from(client))

    def given(self, verb, **options):
        """A connection over which a command was sent."""
        line = ",".join([f"command={verb}", *(f"{name}={value}" for name, value in options.items())])
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(self.patience_s)
        client.connect(self.path)
        client.sendall(GREETING + b" " + line.encode() + b"\n")
        return client


def heard_from(client):
    """All that the agent says, up to its end."""
    heard = b""
    while part := client.recv(65536):
        heard += part
    return heard


def messages_in(heard):
    """The letters and payloads of what an agent said."""
    greeting, _, rest = heard.partition(b"\n")
    if greeting != GREETING:
        raise ValueError(f"no agent of this release: {heard[:100]}")
    messages = []
    while rest:
        letter, length = struct.unpack(">cI", rest[:5])
        messages.append((letter.decode(), rest[5:5 + length]))
        rest = rest[5 + length:]
    return messages


def answer_in(heard):
    letter, payload = messages_in(heard)[-1]
    if letter != "A":
        raise ValueError(f"the last message is {letter}")
    return json.loads(payload)


def send_and_leave(path, verb):
    """Sends a command and closes the connection without waiting for the answer."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        client.sendall(GREETING + f" command={verb}\n".encode())


def threads_of(pid):
    """The names of the process's threads that are the agent's."""
    names = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        try:
            names.append((task / "comm").read_text().strip())
        except OSError:  # it has just ended
            continue
    return sorted(name for name in names if name.startswith("iprof"))


def timers_of(pid):
    """The number of POSIX timers; None if the system does not show them."""
    try:
        return sum(line.startswith("ID:") for line in pathlib.Path(f"/proc/{pid}/timers").read_text().splitlines())
    except OSError:
        return None


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    raise ValueError(f"no VmRSS of {pid}")


def attach_java_agent(pid, jar, patience_s):
    """Loads a Java agent as other tools do. The JVM must listen already: a command to it by its process id makes it listen. Returns
    its answer."""
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(patience_s)
        client.connect(f"/proc/{pid}/root/tmp/.java_pid{pid}")
        client.sendall(b"".join(part.encode() + b"\0" for part in ("1", "load", "instrument", "false", str(jar))))
        answer = b""
        while part := client.recv(65536):
            answer += part
    return answer.decode()
