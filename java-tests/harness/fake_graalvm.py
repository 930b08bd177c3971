"""A GraalVM that only looks like one, for tests of what calls native-image.

An image that it builds is a script that runs the program in a JVM, with -Xmx and -XX:ProfilesDumpFile as real images take them. One built
with --pgo-instrument does so under our agent, so that it writes a profile. Its java runs the tests' JVM with C1, which is
quicker for short programs and counts only where HotSpot's counters are asked for; of the tracing agent's option it makes an empty configuration.

native-image fails like the real one: if an option is unknown, a profile is none, or the configuration is missing. Each build adds its
command as a line of JSON to the file `builds` in the folder.

  home = fake_graalvm.make(folder, jvm, agent)                            an Oracle GraalVM
  fake_graalvm.make(folder, jvm, agent, edition="GraalVM CE 25.0.2+10.1")  one without --pgo
  fake_graalvm.make(folder, jvm, agent, fails="--pgo=")                   whose builds with such an option fail
  fake_graalvm.make(folder, jvm, agent, wrong="images/exact")             whose images at such a path compute something else
"""

import json
import pathlib
import shlex
import sys

ORACLE = "Oracle GraalVM 25.0.1+8.1"
SETTINGS = "fake.json"

IMAGE = """#!/bin/sh
profile=default.iprof
for word; do
  shift
  case "$word" in
    -XX:ProfilesDumpFile=*) profile=${{word#*=}} ;;
    -Xmx*) ;;
    *) set -- "$@" "$word" ;;
  esac
done
exec {java} -XX:TieredStopAtLevel=1 {agent} -cp {class_path} {main} "$@"
"""

JAVA = """#!/bin/sh
compilers=1
for word; do
  shift
  case "$word" in
    -agentlib:native-image-agent=config-output-dir=*)
      mkdir -p "${{word#*dir=}}" && echo '{{}}' > "${{word#*dir=}}/reachability-metadata.json"
      continue ;;
    *mode=methoddata*) compilers=3 ;;
  esac
  set -- "$@" "$word"
done
exec {java} -XX:TieredStopAtLevel=$compilers "$@"
"""


def make(home, jvm, agent, edition=ORACLE, fails="", wrong=""):
    """Returns its folder, which must not exist."""
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text(f'JAVA_VERSION="{jvm.full_version}"\n')
    _write(home / "bin" / "java", JAVA.format(java=shlex.quote(str(jvm.java))))
    _write(home / "bin" / "native-image", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -B {shlex.quote(__file__)} {shlex.quote(str(home))} "$@"\n')
    (home / SETTINGS).write_text(json.dumps({"java": str(jvm.java), "agent": str(agent), "edition": edition, "fails": fails, "wrong": wrong,
                                             "version": jvm.full_version}))
    return home


def builds(home):
    """The commands of all builds so far."""
    path = home / "builds"
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def _write(path, text):
    path.write_text(text)
    path.chmod(0o755)


def _version(settings):
    edition, version = settings["edition"], settings["version"]
    return (f"native-image {version} 2025-10-21\nGraalVM Runtime Environment {edition} (build {version}-jvmci-b01)\n"
            f"Substrate VM {edition} (build {version}, serial gc)")


class Failed(Exception):
    """What native-image prints before it exits with 1."""


def _parsed(words):
    """(main class, class path, image, profile or None, whether it is instrumented)"""
    class_path = image = profile = None
    instrumented, main = False, []
    rest = iter(words)
    for word in rest:
        if word == "-cp":
            class_path = next(rest)
        elif word == "-o":
            image = pathlib.Path(next(rest))
        elif word.startswith("--pgo="):
            profile = pathlib.Path(word.partition("=")[2])
        elif word == "--pgo-instrument":
            instrumented = True
        elif word.startswith("-") and word not in ("--no-fallback", "-O3"):
            raise Failed(f"Unrecognized option(s): '{word}'")
        elif not word.startswith("-"):
            main.append(word)
    if len(main) != 1:
        raise Failed(f"Main entry point class '{main}' is not one")
    return main[0], class_path, image, profile, instrumented


def _build(home, settings, words):
    main, class_path, image, profile, instrumented = _parsed(words)
    if settings["fails"] and any(settings["fails"] in word for word in words):
        raise Failed("The Native Image build process ran out of memory")
    if profile and "methods" not in json.loads(profile.read_text()):
        raise Failed(f"{profile} is no profile")
    if not any(list(pathlib.Path(path).glob("META-INF/native-image/**/*.json")) for path in class_path.split(":")):
        raise Failed("no configuration is on the class path")
    if settings["wrong"] and settings["wrong"] in str(image):
        _write(image, "#!/bin/sh\necho RESULT checksum=1\n")
    else:
        agent = f'"-agentpath:{settings["agent"]}=out=$profile,samples=n"' if instrumented else ""
        _write(image, IMAGE.format(java=shlex.quote(settings["java"]), agent=agent, class_path=shlex.quote(class_path), main=main))
    with open(home / "builds", "a", encoding="utf-8") as log:
        log.write(json.dumps(words) + "\n")


def main():
    home, words = pathlib.Path(sys.argv[1]), sys.argv[2:]
    settings = json.loads((home / SETTINGS).read_text())
    if words == ["--version"]:
        print(_version(settings))
    elif words in (["--help"], ["--help-extra"]):
        print("GraalVM Native Image\n\n    -O <level>            control code optimizations\n"
              "    --no-fallback         build stand-alone image or report failure")
    else:
        try:
            _build(home, settings, words)
        except Failed as failure:
            sys.exit(f"Error: {failure}.")


if __name__ == "__main__":
    main()
