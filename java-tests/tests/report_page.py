"""`iprof report`: pages of real and made profiles, which a real browser opens, reads and compares with what the tool says of
the same profiles. The browser's part is cli/views/report/browser/*_test.mjs."""

import gzip
import json
import os
import random
import shutil
import subprocess

from iprofdev.messages import SKIPPED
from iprofdev.places import ROOT

from harness.case import AgentCase, Settings
from harness.scope import in_proof

OLDEST_NODE = 20  # for playwright-core
BROWSER = ROOT / "cli" / "views" / "report" / "browser"
HOSTILE = [
    "a.</script><script>globalThis.hacked=1</script>",
    "a.<img src=x onerror=globalThis.hacked=2>",
    "a.\"onclick=globalThis.hacked=3 x=\"",
    "a.<!--<script>",
    "a.]]>{{data}}${globalThis.hacked=4}",
    "a.\u202eright-to-left\u2028line",
]
STANDARD = ["boolean", "byte", "short", "char", "int", "float", "long", "double", "void", "java.lang.Object"]


def made_profile(types, methods, **tables):
    """types: names from id 10 on; methods: (id, name, id of its type)."""
    return {"version": "1.0.0",
            "types": [{"id": i, "name": name} for i, name in enumerate(STANDARD)] +
                     [{"id": 10 + i, "name": name} for i, name in enumerate(types)],
            "methods": [{"id": number, "name": name, "signature": [of, 8]} for number, name, of in methods], **tables}


def hostile_profile():
    methods = [(1 + i, "m", 10 + i) for i in range(len(HOSTILE))]
    stack = "<".join(f"{number}:0" for number, _, _ in methods)
    return made_profile(
        HOSTILE, methods,
        callCountProfiles=[{"ctx": f"{number}:0", "records": [5]} for number, _, _ in methods],
        virtualInvokeProfiles=[{"ctx": "1:3", "records": [n for i in range(len(HOSTILE)) for n in (10 + i, 4)]}],
        monitorProfiles=[{"ctx": "0:0", "records": [10, 7]}],
        samplingProfiles=[{"ctx": stack, "records": [9]}],
        iprofagent={"version": 1, "provenance": {"runs": [{"agent": "1", "program": "</script><script>globalThis.hacked=5</script>",
                                                           "options": "<b onclick=x>", "jvm_version": "17"}]}})


def shapes_profile(circle, square, taken):
    """Main.loop calls Circle.area and Square.area; its branch goes to 53 that many times of a hundred."""
    return made_profile(
        ["a.Main", "a.Circle", "a.Square"], [(1, "main", 10), (2, "loop", 10), (3, "area", 11), (4, "area", 12)],
        callCountProfiles=[{"ctx": "2:0", "records": [9]}, {"ctx": "3:0", "records": [circle * 10]}, {"ctx": "4:0", "records": [square * 10]}],
        conditionalProfiles=[{"ctx": "2:3", "records": [53, 0, taken, 14, 1, 100 - taken]}],
        virtualInvokeProfiles=[{"ctx": "2:7", "records": [11, circle, 12, square]}],
        samplingProfiles=[{"ctx": "3:2<2:7<1:5", "records": [circle]}, {"ctx": "4:2<2:7<1:5", "records": [square]},
                          {"ctx": "2:9<1:5", "records": [20]}])


def in_pieces(shapes):
    """The same with stacks in pieces, as the agent writes what contradicts receivers and what an image build cannot follow."""
    main, *methods = shapes["methods"]
    circle, square, loop = (sample["records"][0] for sample in shapes["samplingProfiles"])
    whole = [["3:2<2:7<1:5", circle, 0, 1, 1, 2], ["4:2<*2", square, -1, 1], ["2:9<*1", loop, 0, 1]]
    table = {"3:2": circle, "2:7": circle, "4:0": square, "2:9": loop}
    return {**shapes, "methods": methods, "samplingProfiles": [{"ctx": ctx, "records": [weight]} for ctx, weight in table.items()],
            "iprofagent": {"version": 1, "split": {"sites": 1, "complete": True, "methods": [[main["id"], main["name"], *main["signature"]]],
                                                   "whole": whole}}}


def threads_profile():
    """Main.loop calls Circle.area in a pool, with itself below it, and Square.area in main. One sample is of no known thread."""
    shapes = shapes_profile(40, 20, 90)
    shapes["samplingProfiles"] = [{"ctx": "3:2<2:7<1:5", "records": [40]}, {"ctx": "4:2<2:7<1:5", "records": [20]},
                                  {"ctx": "2:9<2:7<1:5", "records": [30]}, {"ctx": "1:5", "records": [1]}]
    return {**shapes, "iprofagent": {"version": 1, "split": {
        "sites": 0, "whole": [], "threads": ["pool-*-thread-*", "main <b>"], "of": [[0, 0, 40], [1, 1, 20], [2, 0, 20, 1, 10]]}}}


def times_profile():
    """The same. In seconds 0 and 1 the pool is in Circle.area, in seconds 8 to 15 main is in Square.area, and both are in Main.loop."""
    profile = threads_profile()
    profile["iprofagent"]["split"].update(seconds=[0, 1, 8, 12], during=[[0, 30, 1, 10], [2, 5, 3, 15], [1, 15, 3, 5], 2])
    return profile


def events_profile():
    """Main.loop, which has samples, too, allocates byte arrays and shapes; and waits for a lock."""
    return {**shapes_profile(40, 20, 90), "iprofagent": {"version": 1, "events": {
        "version": 1, "types": ["[B", "a.<b>Lock", "a.Circle"], "threads": ["main", "pool-*-thread-*"],
        "methods": [["a.Main", "loop", "()V"], ["java.util.Arrays", "copyOf", "([BI)[B"]],
        "stacks": [[0, 7, 12], [1, 2, 3541, 0, 9, 14]],
        "alloc": {"intervals": [524288], "samples": 20, "dropped": 0, "sweptMs": 1764530000000,
                  "rows": [[0, 2, 0, 3000000, 100000, 3000000, 100000, 6, 6], [1, 0, 1, 7000000, 70, 0, 0, 14, 0]]},
        "lock": {"thresholds": [1000000], "waits": 2, "dropped": 0, "shorter": 0, "rows": [[0, 1, 0, 5000000, 2, -1, 0]]}}}}


def many_receivers_profile():
    """Objects of twenty classes at one call site, more than a page lists."""
    return made_profile(["a.Main"] + [f"a.Shape{i}" for i in range(20)], [(1, "loop", 10)],
                        virtualInvokeProfiles=[{"ctx": "1:7", "records": [n for i in range(20) for n in (11 + i, 1000 - 40 * i)]}])


def packages_profile():
    """One stack through a method of each of forty packages, as an application with a framework has."""
    packages = range(40)
    return made_profile([f"org.framework.part{i}.Filter" for i in packages], [(1 + i, "doFilter", 10 + i) for i in packages],
                        samplingProfiles=[{"ctx": "<".join(f"{1 + i}:3" for i in packages), "records": [50]}])


def large_profile(seed, methods, stacks):
    """As profiles of servers: some thousands of classes, deep stacks, most of the weight in few methods."""
    chance = random.Random(seed)
    types = [f"com.acme.part{i % 40}.layer{i % 7}.Component{i}" for i in range(methods // 8)]
    declared = [(1 + i, f"process{i}", 10 + i % len(types)) for i in range(methods)]
    weight = lambda: int(10 ** chance.uniform(0, 7))
    samples, calls, branches, receivers = {}, [], [], []
    for _ in range(stacks):
        frames, method = [], 0
        for depth in range(chance.randint(5, 30)):  # most calls of a method are of its first callees
            method = (method * 7 + depth + 13 * int(6 * chance.random() ** 3)) % methods
            frames.insert(0, f"{1 + method}:{method % 90}")
        samples["<".join(frames)] = int(10 ** chance.uniform(0, 2))
    for number, _, _ in declared:
        calls.append({"ctx": f"{number}:0", "records": [weight()]})
        branches.append({"ctx": f"{number}:5", "records": [20, 0, weight(), 8, 1, weight()]})
        if number % 3 == 0:
            receivers.append({"ctx": f"{number}:9", "records": [n for i in range(5) for n in (10 + (number + i) % len(types), weight())]})
    return made_profile(types, declared, callCountProfiles=calls, conditionalProfiles=branches, virtualInvokeProfiles=receivers,
                        samplingProfiles=[{"ctx": ctx, "records": [n]} for ctx, n in samples.items()])


class ReportPage(AgentCase):
    def write(self, name, profile):
        path = self.folder / name
        path.write_text(json.dumps(profile), encoding="utf-8")
        return path

    def report(self, *arguments, to):
        written = json.loads(self.run_tool("report", *arguments, "-o", self.folder / to, "--format", "json").stdout)
        self.assertEqual(written["bytes"], (self.folder / to).stat().st_size)
        return written["bytes"]

    def keep(self, name, *arguments):
        """Writes what the tool says, for the browser's part to compare with."""
        (self.folder / name).write_text(self.run_tool(*arguments, "--format", "json").stdout, encoding="utf-8")

    def node_modules(self):
        """The folder of what drives the browser; skips the test if it, Node or Chromium is not here."""
        node = subprocess.run(["node", "--version"], capture_output=True, text=True, check=False).stdout if shutil.which("node") else ""
        if int(node.strip("v").split(".")[0] or 0) < OLDEST_NODE:
            self.skipTest(f"Node {OLDEST_NODE} or newer is missing; where there is none, scripts/install-deps --tests installs one")
        if not any(os.path.exists(path) for path in (os.environ.get("CHROMIUM", ""), "/usr/bin/chromium", "/usr/bin/chromium-browser",
                                                     "/usr/bin/google-chrome")):
            self.skipTest("chromium is missing: scripts/install-deps --tests installs it")
        done = subprocess.run([ROOT / "scripts" / "npm-get", "cli/views/report/browser"], capture_output=True, text=True, check=False)
        if done.returncode == SKIPPED:
            self.skipTest(done.stderr.strip())
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.strip()

    def test_in_a_browser(self):
        modules = self.node_modules()
        self.run_java("shop.Shop", "4000", "700", agent="out=shop.iprof,format=1.1.0,instanceofs=y")
        profile = self.folder / "shop.iprof"
        self.report(profile, "--classes", Settings.classes, "--sources", ROOT / "java-tests" / "programs", to="shop.html")
        self.keep("shop-show.json", "show", profile)
        self.keep("shop-top.json", "top", "-n", "0", profile)
        self.keep("shop-price.json", "show", "--method", "shop.Shop.price", profile)
        self.keep("shop-corners.json", "show", "--method", "shop.Shop.corners", profile)
        self.keep("shop-round.json", "show", "--method", "shop.Shop.round", profile)
        self.report(self.write("hostile.iprof", hostile_profile()), to="hostile.html")
        (self.folder / "hostile-names.txt").write_text("\n".join(name for name in HOSTILE if "\u2028" not in name), encoding="utf-8")
        self.report("--diff", self.write("old.iprof", shapes_profile(40, 40, 90)), self.write("new.iprof", shapes_profile(79, 1, 10)),
                    to="diff.html")
        self.report(self.folder / "new.iprof", to="new.html")
        (self.folder / "old.iprof.gz").write_bytes(gzip.compress((self.folder / "old.iprof").read_bytes()))
        self.write("split.iprof", in_pieces(shapes_profile(40, 40, 90)))
        self.report(self.write("many.iprof", many_receivers_profile()), to="many.html")
        self.report(self.write("threads.iprof", threads_profile()), to="threads.html")
        self.report(self.write("times.iprof", times_profile()), to="times.html")
        self.report(self.write("events.iprof", events_profile()), to="events.html")
        large = self.write("large.iprof", large_profile(1, 16000, 9000))
        self.report(large, "--max-mb", "1", to="cut.html")
        shapes = shapes_profile(40, 40, 90)
        self.report(self.write("empty.iprof", made_profile([], [])), to="empty.html")
        self.report(self.write("counts.iprof", {key: table for key, table in shapes.items() if key != "samplingProfiles"}), to="counts.html")
        self.report(self.write("samples.iprof", {key: shapes[key] for key in ("version", "types", "methods", "samplingProfiles")}), to="samples.html")
        self.report(self.write("packages.iprof", packages_profile()), to="packages.html")
        self.open_in_browser(modules)

    def open_in_browser(self, modules, only="."):
        """Runs the browser's tests whose names match."""
        done = subprocess.run(["node", "--test", "--test-reporter=spec", f"--test-name-pattern={only}",
                               *sorted(BROWSER.glob("*_test.mjs"))],
                              capture_output=True, text=True, check=False,
                              env={**os.environ, "REPORTS": str(self.folder), "NODE_MODULES": modules})
        self.assertEqual(done.returncode, 0, f"{done.stdout[-8000:]}\n{done.stderr[-2000:]}")
        self.assertRegex(done.stdout, r"pass [1-9]")

    @in_proof
    def test_a_very_large_profile_gives_a_usable_page(self):
        modules = self.node_modules()
        large = self.write("large.iprof", large_profile(3, 460_000, 400_000))
        self.assertGreater(large.stat().st_size, 155_000_000)
        self.report(large, "--max-mb", "1", to="cut.html")
        self.open_in_browser(modules, only="a page that was cut says so")
        self.assertLess(self.report(large, to="large.html"), 3_000_000)

    def test_a_page_is_smaller_than_its_profile(self):
        large = self.write("large.iprof", large_profile(2, 16000, 9000))
        size = large.stat().st_size
        self.assertGreater(size, 4_000_000)
        self.assertLess(self.report(large, to="large.html"), 3_000_000)

    def data_of(self, name):
        page = (self.folder / name).read_text(encoding="utf-8")
        return json.loads(page.split('<script type="application/json" id="data">')[1].split("</script>")[0])

    def called_in(self, name, side=0):
        """The methods that were called, in one of the profiles."""
        data = self.data_of(name)
        calls = ((data["types"][row[1][0]] + "." + row[0], row[2][0]) for row in data["methods"])
        return {method for method, count in calls if (count[side] if isinstance(count, list) else count) > 0}

    def test_filters(self):
        profile = made_profile(
            ["com.shop.Cart", "java.util.ArrayList", "com.shop.web.Page", "Main"], [(1, "total", 10), (2, "get", 11), (3, "show", 12), (4, "main", 13)],
            callCountProfiles=[{"ctx": f"{number}:0", "records": [number]} for number in (1, 2, 3, 4)],
            samplingProfiles=[{"ctx": "2:1<1:5<4:2", "records": [6]}, {"ctx": "2:1", "records": [3]}])
        a = self.write("a.iprof", profile)
        for options, expected in [
                ([], {"com.shop.Cart.total", "java.util.ArrayList.get", "com.shop.web.Page.show", "Main.main"}),
                (["--app"], {"com.shop.Cart.total", "com.shop.web.Page.show", "Main.main"}),
                (["--package", "com.shop"], {"com.shop.Cart.total", "com.shop.web.Page.show"}),
                (["--include", "com.shop.*+Main", "--exclude", "*.web.*"], {"com.shop.Cart.total", "Main.main"})]:
            self.report(a, *options, to="part.html")
            self.assertEqual(self.called_in("part.html"), expected)
            self.report("--diff", a, a, *options, to="parts.html")
            self.assertEqual(self.called_in("parts.html", side=1), expected)
        self.report(a, "--app", to="app.html")
        # A stack with a method of the program is kept whole, one without is left out.
        self.assertEqual(sum(table["total"] for table in self.data_of("app.html")["profiles"][0]["tables"] if table["table"] == "samplingProfiles"), 6)
        self.assertIn("no class that matches", self.run_tool("report", a, "--include", "org.*", "-o", self.folder / "none.html").stderr)

    def test_bytecode_of_the_jdk(self):
        jmods = self.jvm.home / "lib" / "modules"
        if not jmods.exists():
            self.skipTest(f"{self.jvm.id} has no lib/modules")
        self.run_java("shop.Shop", "400", "1", agent="out=shop.iprof")
        self.report(self.folder / "shop.iprof", "--jdk", self.jvm.home, to="jdk.html")
        data = self.data_of("jdk.html")
        types = data["types"]
        with_code = {types[row[1][0]] + "." + row[0] for row in data["methods"] if len(row) > 7}
        self.assertIn("java.lang.String.hashCode", with_code)
        self.assertNotIn("shop.Shop.price", with_code)
        hash_code = next(row for row in data["methods"] if types[row[1][0]] == "java.lang.String" and row[0] == "hashCode")
        # Its first block ran once a call.
        self.assertEqual(hash_code[7]["blocks"][:2], [0, hash_code[2][0]])

    def test_allocations_and_waits(self):
        a = self.write("a.iprof", events_profile())
        self.report(a, to="events.html")
        sums = {value["value"]: value["sum"] for value in self.data_of("events.html")["events"]["values"]}
        self.assertEqual(sums, {"alloc-bytes": 10000000, "alloc-objects": 100070, "live-bytes": 3000000, "live-objects": 100000,
                                "lock-time": 5000000, "lock-count": 2})
        self.report(a, "--include", "java.util.*", to="part.html")
        sums = {value["value"]: value["sum"] for value in self.data_of("part.html")["events"]["values"]}
        self.assertEqual((sums["alloc-bytes"], sums["lock-time"]), (7000000, 0))
        # A comparison has samples and counts only.
        self.report("--diff", a, a, to="diff.html")
        self.assertNotIn("events", self.data_of("diff.html"))

    def test_mistakes(self):
        a = self.write("a.iprof", shapes_profile(3, 4, 5))
        for arguments, said in [
                (("--diff", a, "-o", "x.html"), "two profiles"), ((a, a, "-o", "x.html"), "need --diff"),
                ((a, "--sources", ".", "-o", "x.html"), "--sources needs --classes"), ((a, "--max-mb", "0", "-o", "x.html"), "--max-mb")]:
            self.assertIn(said, self.run_tool("report", *arguments, expect=2).stderr)
        self.assertIn("nowhere.jar", self.run_tool("report", a, "--classes", "nowhere.jar", "-o", "x.html", expect=None).stderr)
        self.assertFalse((self.folder / "x.html").exists())
