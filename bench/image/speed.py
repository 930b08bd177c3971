"""Native images of public programs with and without profiles: builds them, and compares their speed. Needs an Oracle GraalVM.

  bench/run image --graalvm HOME --programs rhino --modes exact,methoddata
  bench/run image --graalvm HOME --forks 15          once more: the images are kept, so it only measures
  bench/run image --graalvm HOME --build-args=-O3    with options for every build; without, a profile also raises -O2 to -O3

For each program: an image without a profile; one with the profile of each mode of ours, recorded in a JVM (by default GraalVM's own, so that
the JDK is the same); one with the profile of an instrumented image, as GraalVM's documentation recommends; and the program in that JVM. All do
the same fixed work, and the profiles are of this work. Images run one at a time, in rounds, in random order; the seed is printed.

Modes: exact; counts (exact, without samples); samples (nothing else); budget; methoddata; harvest (methoddata without samples, as `iprof harvest`
writes it).

Prints a table for each program and one over all: CPU and wall time as ratios to the image without a profile [95 % interval], the worst single
round, the size of the image, and what `iprof overlap --decisions` says of the profile against the instrumented image's one: weight of methods
that are hot only in the latter, of branches off by more than 10 points or inverted, and of calls dispatched to other classes.

What native-image must know of reflection and resources, GraalVM's tracing agent finds out. Configurations, profiles and images are kept in
--keep, and made again if what they are made from has changed, such as the agent.

Exit status: 0; 1 if something failed, which is said at the end; 2 without an Oracle GraalVM.
"""

import os
import platform
import shlex
import types

from image import graalvm as graalvms
from image import programs as known
from image import speed_tables
from image.kept import Kept
from image.recipes import IMAGE, INSTRUMENTED, JVM, MODES, NONE, PROFILE, Recipes, Recorder, Work
from iprofdev import jvms, maven, pins
from iprofdev.messages import Unavailable, fail
from iprofdev.places import CACHE
from runner import rounds
from runner.options import jvm_of
from runner.overlap import overlap
from runner.results import Results
from runner.running import Failed

NO_GRAALVM, FORKS = 2, 7
# What a build of such programs takes, as a rule: told before it begins.
BUILD_MINUTES, BUILD_GIB, IMAGE_MIB = (1, 5), (4, 8), (20, 80)
BY_NAME = {program.name: program for program in known.PROGRAMS}


def add_options(options):
    options.value("--graalvm", os.environ.get("GRAALVM_HOME", ""), "its folder; default: $GRAALVM_HOME")
    options.add_argument("--jvm", type=jvm_of, help="records the profiles (default: GraalVM's own JVM)")
    options.built("agent", "tool")
    options.names("--programs", BY_NAME)
    options.names("--modes", MODES)
    options.value("--forks", 0, f"of each image; 0: {FORKS}, with --quick 1")
    options.seed()
    options.value("--build-args", "", "for every build, as a shell would take them")
    options.value("--keep", CACHE / "images", "the folder for what is built")
    options.csv()


def recorder_of(arguments, graalvm):
    jvm = arguments.jvm or jvms.Jvm("graalvm", graalvm.home, "jdk")
    version = jvm.full_version or ""
    other = arguments.jvm and graalvm.major and version.split(".")[0] != str(graalvm.major)
    if other:
        print(f"The profiles are of Java {version} and the images of Java {graalvm.major}, so records in the JDK's own methods may not fit.",
              flush=True)
    return Recorder(jvm.java, version, arguments.agent, pins.sha256(arguments.agent), f"target={graalvm.major}" if other else "")


def works_of(programs, scratch, quick):
    """program -> Work; prints which programs cannot be had."""
    found = {}
    for program in programs:
        try:
            jar = maven.jar(program.pin)
        except Unavailable as why:
            print(f"skipped: {program.name}: {why}", flush=True)
            continue
        inputs = scratch / "inputs" / program.name
        inputs.mkdir(parents=True)
        program.write_input(inputs, quick)
        found[program.name] = Work(program, jar, inputs, scratch / program.name, quick)
    return found


def memory_gib():
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / (1 << 30)


def announcement(missing, folder):
    """What is going to be built, and what that takes."""
    images = sum(product.is_image for product in missing)
    if not images:
        return f"All images are in {folder}; nothing is built."
    low, high = (images * minutes for minutes in BUILD_MINUTES)
    text = (f"{images} {'image is' if images == 1 else 'images are'} built first. "
            f"As a rule, each takes {BUILD_MINUTES[0]} to {BUILD_MINUTES[1]} minutes of all processors and "
            f"{BUILD_GIB[0]} to {BUILD_GIB[1]} GiB of memory, so {low} to {high} minutes in all; this machine has {os.cpu_count()} processors and "
            f"{memory_gib():.0f} GiB.\nThey are kept in {folder}, with {IMAGE_MIB[0]} to {IMAGE_MIB[1]} MiB each.")
    if memory_gib() < BUILD_GIB[0]:
        text += "\nThat is too little memory for most builds: expect them to fail or to be slow."
    return text


def build_all(recipes, works, ways, folder, failures):
    """failures: (program, way) -> why it failed."""
    kept = Kept(lambda text: print(text, flush=True))
    wanted = {(name, way): [product for product in (recipes.profile(work, way), recipes.image(work, way)) if product]
              for name, work in works.items() for way in ways if way != JVM}
    print(announcement(kept.missing([product for several in wanted.values() for product in several]), folder), flush=True)
    for pair, products in wanted.items():
        try:
            for product in products:
                kept.ensure(product)
        except Failed as failure:
            failures[pair] = str(failure)


def compared(tool, recipes, works, ways, failures):
    """{(program, way): Overlap}; prints what cannot be compared."""
    found = {}
    for name, work in works.items():
        if (name, INSTRUMENTED) in failures:
            continue
        truth = recipes.profile(work, INSTRUMENTED).folder / PROFILE
        for way in ways:
            if way in (NONE, INSTRUMENTED, JVM) or (name, way) in failures:
                continue
            try:
                found[name, way] = overlap(tool, truth, recipes.profile(work, way).folder / PROFILE)
            except Failed as why:
                print(f"not compared: {name}, {way}: {why}", flush=True)
    return found


def checked_run(recipes, works):
    """For rounds.run(): a run that computes the same as one in a JVM, which is not measured, so that it does not matter which is first."""
    expected = {}

    def one(number, program, way):
        work = works[program.name]
        if program.name not in expected:
            expected[program.name] = recipes.run(work, JVM).checksum
        if not expected[program.name]:
            raise Failed("computes nothing in a JVM")
        measured = recipes.run(work, way.name, number)
        if measured.checksum != expected[program.name]:
            raise Failed(f"computes {measured.checksum or 'nothing'}, not {expected[program.name]} as in a JVM")
        return measured
    return one


def main(arguments):
    try:
        graalvm = graalvms.find(arguments.graalvm)
    except graalvms.Unusable as why:
        fail(f"{why}.", NO_GRAALVM)
    recorder, folder = recorder_of(arguments, graalvm), arguments.keep.resolve()
    works = works_of([BY_NAME[name] for name in arguments.programs], arguments.folder, arguments.quick)
    recipes, ways = Recipes(graalvm, recorder, shlex.split(arguments.build_args), folder), speed_tables.ways_of(arguments.modes)
    seed, forks = rounds.new_seed(arguments.seed), arguments.forks or (1 if arguments.quick else FORKS)
    print(f"{graalvm.name}, profiles by Java {recorder.version}; {platform.machine()}, {os.cpu_count()} processors, Linux {platform.release()}, load "
          f"{os.getloadavg()[0]:.1f}\n{forks} forks each, seed {seed}", flush=True)
    failures, results = {}, Results(path=arguments.csv)
    build_all(recipes, works, ways, folder, failures)
    plan = rounds.order([work.program for work in works.values()], [types.SimpleNamespace(name=way) for way in ways], forks, seed)
    rounds.run(plan, checked_run(recipes, works), results.add, failures)
    report(works, ways, results, recipes, failures, compared(arguments.tool, recipes, works, ways, failures))
    print()
    return rounds.told(failures) if works else 1


def report(works, ways, results, recipes, failures, decisions):
    images = {(name, way): recipes.image(work, way).folder / IMAGE for name, work in works.items() for way in ways if way != JVM}
    sizes = {pair: path.stat().st_size for pair, path in images.items() if pair not in failures}
    for name in works:
        print("", *speed_tables.of_program(name, ways, results, sizes, decisions), sep="\n")
    if len(works) > 1:
        print("", *speed_tables.over_all(list(works), ways, results, sizes), sep="\n")
