"""without_vm_readv.py COMMAND...: runs a command whose process_vm_readv fails with EPERM, as where a container's seccomp
profile forbids it. For x86-64."""

import ctypes
import os
import struct
import sys

SYS_PROCESS_VM_READV = 310
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER = 2
EPERM = 1


def instruction(code, value, if_true=0, if_false=0):
    return struct.pack("HBBI", code, if_true, if_false, value)


class Filter(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def forbid():
    program = (instruction(0x20, 0)  # load the number of the system call
               + instruction(0x15, SYS_PROCESS_VM_READV, 0, 1)  # if it is not this one, skip the next
               + instruction(0x06, 0x00050000 | EPERM)  # fail
               + instruction(0x06, 0x7FFF0000))  # allow
    instructions = ctypes.create_string_buffer(program, len(program))
    seccomp = Filter(len(program) // 8, ctypes.cast(instructions, ctypes.c_void_p))
    libc = ctypes.CDLL(None, use_errno=True)
    for call in ((PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, ctypes.byref(seccomp), 0, 0)):
        if libc.prctl(*call) != 0:
            raise OSError(ctypes.get_errno(), "prctl")


if __name__ == "__main__":
    forbid()
    os.execv(sys.argv[1], sys.argv[1:])
