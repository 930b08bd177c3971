"""What the benchmarks share.

options    what a benchmark may be asked for: JVMs, programs, forks, files of the build
running    runs a program, and measures it
program    a Java program that answers lines
workloads  the programs that are measured, prepared
rounds     in which order compared runs follow each other
results    measurements by workload and configuration, and their file
figures    medians, ratios, intervals
overlap    what `iprof overlap` says of two profiles
tables     tables, and what machine they are from
"""
