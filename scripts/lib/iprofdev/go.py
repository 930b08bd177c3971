"""Programs from Go's module proxy, built by the machine's Go and kept in the cache.

Only modules in scripts/pins are used, and only if the SHA-256 of their zip is the one given there. What they need is
fixed by the go.mod and go.sum in that zip.
"""

import json
import os
import pathlib
import shutil
import tempfile

from iprofdev import pins, processes
from iprofdev.messages import Unavailable
from iprofdev.places import CACHE, locked_cache, offline

# The hash in scripts/pins takes the place of the checksum database.
ENVIRONMENT = {"GOSUMDB": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "-mod=readonly -buildvcs=false", "CGO_ENABLED": "0"}


def program(name):
    """The path of a pinned program. Raises Unavailable if it cannot be built here, and WrongBytes."""
    pin = pins.pin(name)
    place = CACHE / "go" / f"{name}-{pin.version}"
    with locked_cache():
        if not place.exists():
            _build(pin, place)
    return place


def _build(pin, place):
    if shutil.which("go") is None:
        raise Unavailable(f"there is no go, which builds {pin.what}.")
    if offline():
        raise Unavailable(f"{pin.name} is not in {CACHE} and IPROF_OFFLINE is set.")
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:
        module = json.loads(_go(["mod", "download", "-json", pin.what], folder))
        pins.verified(module["Zip"], pin)
        made = pathlib.Path(folder) / "made"
        _go(["build", "-o", str(made), "."], module["Dir"])
        made.rename(place)


def _go(arguments, folder):
    done = processes.run(["go", *arguments], cwd=folder, env={**os.environ, **ENVIRONMENT})
    if done.returncode != 0:
        raise Unavailable(f"go {' '.join(arguments)}: {(done.stdout + done.stderr)[-500:]}")
    return done.stdout
