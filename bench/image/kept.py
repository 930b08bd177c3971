"""Products that take long to make, such as images, kept in a folder for the next call.

A product is known by what it is made from. Example: the image with an exact profile is made from GraalVM's version, the builder's options, and
the profile, which is made from the agent's bytes, its options, and the work. With a new agent, the next call records that profile again and
builds that image again; the image without a profile stays.
"""

import dataclasses
import json
import pathlib
import shutil

from image.programs import digest
from runner.running import Failed

RECORD = "made.json"  # in the folder of each product; written last, so a product without it is not whole


@dataclasses.dataclass(frozen=True)
class Product:
    title: str
    folder: pathlib.Path
    made_from: tuple
    make: object  # (folder) -> Measurement: makes it in this empty folder; raises Failed
    needs: tuple = ()  # products that must be made first
    is_image: bool = False

    @property
    def key(self):
        return digest(self.made_from, [need.key for need in self.needs])


class Kept:
    def __init__(self, told=print):
        self._told = told
        self._failures = {}  # folder -> Failed

    def has(self, product):
        try:
            return json.loads((product.folder / RECORD).read_text())["key"] == product.key
        except (OSError, ValueError, KeyError, TypeError):
            return False

    def missing(self, products):
        """The products that are still to be made, with those that they need."""
        found = {}
        for product in products:
            if not self.has(product):
                for one in (*self.missing(product.needs), product):
                    found[one.folder] = one
        return list(found.values())

    def ensure(self, product):
        """Makes the product if it is not there. Raises Failed, also for each later product that needs it."""
        if self.has(product):
            return
        for need in product.needs:
            self.ensure(need)
        if product.folder in self._failures:
            raise self._failures[product.folder]
        try:
            shutil.rmtree(product.folder, ignore_errors=True)
            product.folder.mkdir(parents=True)
            measured = product.make(product.folder)
        except Failed as failure:
            self._failures[product.folder] = failure
            raise
        self._told(f"made {product.title} in {measured.wall_s:.0f} s, with {measured.peak_mib / 1024:.1f} GiB of memory")
        (product.folder / RECORD).write_text(json.dumps({"key": product.key, "title": product.title, "seconds": round(measured.wall_s, 1),
                                                         "peak_mib": round(measured.peak_mib)}))
