"""What one snapshot of 200,000 counters costs the writer of the raw file, by how many of them changed."""

from runner.running import own_program, said_by

QUICK_ROUNDS = 20


def add_options(options):
    options.file("--into", "the folder for the file (default: a temporary one)")
    options.value("--rounds", 200, "snapshots of each kind")


def main(arguments):
    rounds = QUICK_ROUNDS if arguments.quick else arguments.rounds
    print(said_by([own_program(arguments.build, "raw_file_bench"), arguments.into or arguments.folder, rounds]), end="")
