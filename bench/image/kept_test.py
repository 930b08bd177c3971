"""Tests of what is made, kept and made again."""

import types

from image.kept import RECORD, Kept, Product
from runner.folder_case import FolderCase
from runner.running import Failed


class KeptProducts(FolderCase):
    def setUp(self):
        super().setUp()
        self.made, self.said = [], []

    def product(self, name, made_from="", needs=(), fails=False):
        def make(folder):
            self.made.append(name)
            if fails:
                raise Failed(f"{name} failed")
            (folder / "content").write_text(name)
            return types.SimpleNamespace(wall_s=61.4, peak_mib=2048)
        return Product(name, self.folder / name, (made_from,), make, needs)

    def ensured(self, *products):
        """The names of what that made."""
        self.made.clear()
        for product in products:
            Kept(self.said.append).ensure(product)
        return list(self.made)

    def test_what_is_made_from_something_else_is_made_again_with_all_that_follows(self):
        profile, plain = self.product("profile", "agent 1"), self.product("plain")
        self.assertEqual(self.ensured(self.product("image", needs=(profile,)), plain), ["profile", "image", "plain"])
        self.assertEqual(self.said[0], "made profile in 61 s, with 2.0 GiB of memory")
        profile = self.product("profile", "agent 2")
        image = self.product("image", needs=(profile,))
        self.assertEqual([product.title for product in Kept().missing([plain, image, profile])], ["profile", "image"])
        self.assertEqual(self.ensured(plain, image), ["profile", "image"])
        self.assertEqual(self.ensured(plain, image), [])

    def test_what_was_made_in_part_is_made_again_from_an_empty_folder(self):
        image = self.product("image")
        image.folder.mkdir()
        (image.folder / "rest").touch()
        (image.folder / RECORD).write_text('{"key": ')
        self.assertEqual(self.ensured(image), ["image"])
        self.assertFalse((image.folder / "rest").exists())

    def test_a_failure_is_that_of_all_that_need_it_and_is_not_tried_twice(self):
        kept = Kept(self.said.append)
        counters = self.product("counters", fails=True)
        for name in ("profile", "image"):
            with self.assertRaisesRegex(Failed, "counters failed"):
                kept.ensure(self.product(name, needs=(counters,)))
        self.assertEqual(self.made, ["counters"])
        self.assertEqual(self.ensured(self.product("counters")), ["counters"])  # the next call tries again
