#!/usr/bin/env python3
"""Makes one HTML file of a page's sources: bundle_page.py FOLDER OUT.html

FOLDER has template.html, style.css and JavaScript modules, main.js among them. The modules become one script: each stands
behind those that it imports, without its import lines and the word `export`. So two of them must not declare the same name
at their top level. The template's marks are {{script}}, {{style}}, {{policy}} and {{data}}, which is left for the program.

The policy allows this script and this style, by their hashes, and nothing else.
"""
import base64
import hashlib
import pathlib
import re
import sys

IMPORT = re.compile(r"^import \{([^}]*)\} from '\./([\w]+\.js)';\n", re.MULTILINE)
DECLARED = re.compile(r"^(export )?(?:async )?(?:const|let|class|function\*?) (\w+)", re.MULTILINE)


def fail(message):
    sys.exit(f"bundle_page.py: {message}")


class Bundle:
    def __init__(self, folder):
        self.folder = folder
        self.texts = []
        self.exports = {}  # by module
        self.declared = {}  # name -> module
        self.open = []

    def add(self, name):
        if name in self.exports:
            return
        if name in self.open:
            fail(f"{' imports '.join(self.open)} imports {name}: a circle")
        self.open.append(name)
        text = (self.folder / name).read_text(encoding="utf-8")
        for names, module in IMPORT.findall(text):
            self.add(module)
            for imported in re.findall(r"[\w$]+", names):
                if imported not in self.exports[module]:
                    fail(f"{name} imports {imported}, which {module} does not export")
        text = IMPORT.sub("", text)
        if re.search(r"^import\b|^export (?!(?:async )?(?:const|let|class|function))", text, re.MULTILINE):
            fail(f"{name} has an import or export of another form than bundle_page.py knows")
        self.exports[name] = {declared for exported, declared in DECLARED.findall(text) if exported}
        for _, declared in DECLARED.findall(text):
            other = self.declared.setdefault(declared, name)
            if other != name:
                fail(f"{name} and {other} both declare {declared}")
        self.texts.append(f"// {name}\n{re.sub(r'^export ', '', text, flags=re.MULTILINE).strip()}\n")
        self.open.pop()

    def script(self):
        self.add("main.js")
        unused = {path.name for path in self.folder.glob("*.js")} - set(self.exports)
        if unused:
            fail(f"nothing imports {', '.join(sorted(unused))}")
        return "\n(() => {\n'use strict';\n" + "\n".join(self.texts) + "})();\n"


def source_hash(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def main(folder, out):
    folder = pathlib.Path(folder)
    script = Bundle(folder).script()
    style = "\n" + (folder / "style.css").read_text(encoding="utf-8")
    if "</script" in script or "<!--" in script or "</style" in style:
        fail("the script or the style would end its element")
    policy = "; ".join([
        "default-src 'none'", f"script-src {source_hash(script)}", f"style-src {source_hash(style)}",
        "base-uri 'none'", "form-action 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"])
    values = {"script": script, "style": style, "policy": policy, "data": "{{data}}"}
    template = (folder / "template.html").read_text(encoding="utf-8")
    page = re.sub(r"\{\{(\w+)\}\}", lambda mark: values[mark.group(1)], template)
    if page.count("{{data}}") != 1:
        fail("the page must have {{data}} once")
    pathlib.Path(out).write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
