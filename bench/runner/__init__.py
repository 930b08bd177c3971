"""What the benchmarks share; each module says what it is for."""
