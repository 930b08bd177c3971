"""Lets processes run in turns: one goes on for a slice of time, while the others are stopped by a signal.
So a neighbour's load or another clock rate meets all of them alike. While a process is stopped, the clock goes on, its CPU time does not.
"""

import os
import signal
import threading
import time

SLICE_S = 1.0


def now_ms():
    return time.time() * 1000


class Turns:
    """Use it in a `with`. At its end, processes that still run are killed."""

    def __init__(self, slice_s=SLICE_S):
        self._slice_s = slice_s
        self._changed = threading.Condition()
        self._waiting = []  # processes, the next one first; guarded by _changed, as all below
        self._stops = {}  # process -> [[begin, end]] in ms since the epoch; the last end is None while it is stopped
        self._closed = False
        self._thread = threading.Thread(target=self._go_round)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        with self._changed:
            self._closed = True
            for pid in self._waiting:
                os.kill(pid, signal.SIGKILL)
            self._changed.notify_all()
        self._thread.join()

    def take(self, pid, ended):
        """A process takes turns until the event `ended`; it is not waited for before this returns. Returns when it was stopped: [(begin, end)]
        in ms since the epoch. Any thread may call it."""
        with self._changed:
            self._stops[pid] = []
            self._stop(pid)
            self._waiting.append(pid)
            if self._closed:
                os.kill(pid, signal.SIGKILL)
            self._changed.notify_all()
        ended.wait()
        with self._changed:
            self._waiting.remove(pid)
            self._changed.notify_all()
            return [(begin, now_ms() if end is None else end) for begin, end in self._stops.pop(pid)]

    def _go_round(self):
        with self._changed:
            while not self._closed:
                if not self._waiting:
                    self._changed.wait()
                    continue
                pid = self._waiting.pop(0)
                self._waiting.append(pid)
                self._resume(pid)
                self._changed.wait_for(lambda pid=pid: self._closed or pid not in self._waiting, self._slice_s)
                if not self._closed and pid in self._waiting and len(self._waiting) > 1:
                    self._stop(pid)

    def _stop(self, pid):
        os.kill(pid, signal.SIGSTOP)
        self._stops[pid].append([now_ms(), None])

    def _resume(self, pid):
        stops = self._stops[pid]
        if stops and stops[-1][1] is None:
            stops[-1][1] = now_ms()
            os.kill(pid, signal.SIGCONT)
