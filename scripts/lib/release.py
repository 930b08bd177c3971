"""What scripts/release does: a release's files, made twice from a tag, in two clones."""

import datetime
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile

from iprofdev import mavenbuild, packages, processes, sbom
from iprofdev.messages import fail, note
from iprofdev.places import ROOT

ARTEFACT = "runtime/maven"
NAME = "iprof-agent"
CHECKSUMS = packages.CHECKSUMS
# Two paths of different lengths: what a path gets into is found.
CLONES = ("first", "the-second-one")


class Refused(Exception):
    """The message says what is missing for a release."""


def git(*words, folder=ROOT):
    done = processes.run(["git", "-C", folder, *words])
    if done.returncode:
        raise Refused(f"git {' '.join(map(str, words))}: {processes.end_of(done.stderr, 3)}")
    return done.stdout.strip()


def changes(text, version):
    """The section of a version in a changelog, without its heading; None if there is none."""
    found = re.search(rf"^## \[{re.escape(version)}\][^\n]*\n(.*?)(?=^## |^\[[^\]]+\]: |\Z)", text, re.M | re.S)
    return found and found[1].strip() + "\n"


def check_sources(version, root=ROOT):
    """Raises Refused unless the tree is that of the version's tag, and says of itself that it is this version."""
    if changed := git("status", "--porcelain", folder=root):
        raise Refused(f"the tree has changes that are not committed:\n{changed}")
    tag = f"v{version}"
    if tag not in git("tag", "--points-at", "HEAD", folder=root).split():
        raise Refused(f"the commit has no tag {tag}: git tag -a {tag}")
    for file, pattern in (("CMakeLists.txt", r"^project\(iprofagent VERSION (\S+)"),
                          (f"{ARTEFACT}/pom.xml", rf"<artifactId>{NAME}</artifactId>\s*<version>([^<]+)")):
        said = re.search(pattern, (root / file).read_text(), re.M)[1]
        if said != version:
            raise Refused(f"{file} says that this is version {said}")
    if not changes((root / "CHANGELOG.md").read_text(), version):
        raise Refused(f"CHANGELOG.md has no section [{version}]")


def clone(place):
    shutil.rmtree(place, ignore_errors=True)
    git("clone", "--quiet", "--no-hardlinks", ROOT, place)
    git("checkout", "--quiet", git("rev-parse", "HEAD"), folder=place)


def build(place, targets, time_s, is_cached):
    """Makes all files in a clone; returns their paths, by name. The compiler's cache is not used but with is_cached, because what
    comes out of a cache is equal without proof."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(time_s), **({} if is_cached else {"CCACHE_DISABLE": "1"})}
    if subprocess.run([sys.executable, place / "scripts/package", *targets], env=environment, check=False).returncode:
        fail(f"scripts/package failed in {place}")
    made = place / packages.FOLDER.name
    version = packages.version()
    files = [*made.glob("*.tar.gz"), *made.glob("*.deb"), *made.glob("*.rpm")]
    time = datetime.datetime.fromtimestamp(time_s, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    mavenbuild.build(place / ARTEFACT, "-Prelease", f"-Diprof.packages={made / 'stage'}", f"-Diprof.build={made / 'maven'}",
                     f"-Dproject.build.outputTimestamp={time}", "clean", "package")
    files += [made / "maven" / f"{NAME}-{version}{kind}.jar" for kind in ("", "-sources", "-javadoc")]
    pom = made / "maven" / f"{NAME}-{version}.pom"
    shutil.copy(place / ARTEFACT / "pom.xml", pom)
    return {path.name: path for path in (*files, pom)}


def difference(first, second):
    """What differs between two builds, for people; empty if nothing does."""
    if first.keys() != second.keys():
        return f"one build has files that the other has not: {', '.join(sorted(first.keys() ^ second.keys()))}"
    found = []
    for name in sorted(first):
        if filecmp.cmp(first[name], second[name], shallow=False):
            continue
        found.append(name)
        if name.endswith(".tar.gz"):
            one, other = ({item.name: archive.extractfile(item).read() if item.isfile() else None for item in archive}
                          for archive in (tarfile.open(first[name]), tarfile.open(second[name])))
            found += [f"  {each}" for each in sorted(one.keys() | other.keys()) if one.get(each) != other.get(each)]
    return "\n".join(found)


def write(output, version, files, commit, time_s):
    """Copies the files, and adds the bill of materials, the changes and the checksums."""
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    copies = [pathlib.Path(shutil.copy(path, output)) for path in files.values()]
    bill = sbom.of(version, commit, time_s, copies)
    (output / f"iprofagent-{version}.cdx.json").write_text(json.dumps(bill, indent=1, sort_keys=True) + "\n")
    (output / "CHANGES.md").write_text(changes((ROOT / "CHANGELOG.md").read_text(), version))
    packages.write_checksums(output)


def make(version, targets, output):
    check_sources(version)
    for program, package in (("rpmbuild", "rpm"), ("dpkg-deb", "dpkg"), ("mvn", "maven")):
        if shutil.which(program) is None:
            raise Refused(f"there is no {program} ({package}): run scripts/install-deps --release")
    commit, time_s = git("rev-parse", "HEAD"), packages.source_time()
    work = output.parent / f"{output.name}.work"
    builds = []
    for number, name in enumerate(CLONES):
        note(f"build {number + 1} of {len(CLONES)}")
        clone(work / name)
        builds.append(build(work / name, targets, time_s, is_cached=number == 0))
    if differing := difference(*builds):
        fail(f"two builds of the same sources differ; they are in {work}:\n{differing}")
    write(output, version, builds[0], commit, time_s)
    shutil.rmtree(work)
    note(f"{len(builds[0])} files, equal in both builds; with {CHECKSUMS}, bill of materials and changes in {output}")
