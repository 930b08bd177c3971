// LargePages: lets a command that allocates much take its memory in large pages.
//
// Why: a harvest of a compiler takes some 60 MB, most of it copied from the JVM. Touching each of their
// 15,000 pages of 4 KiB for the first time takes a tenth of the harvest's time or more; a kernel that
// has pages of 2 MiB gives the same in thirty steps.
//
// Guarantees: changes only how malloc takes memory, for the next 96 MB in pieces of less than 20 MB. What
// becomes free is kept, and used again.
// Threads: one; call it before others are started. Failure: none; where the C library or the kernel
// has no such pages, or a limit forbids to take 96 MB at once, memory is taken as before.
#pragma once

namespace iprof::cli {

void UseLargePages();

// Gives what is free back to the kernel, before a long wait.
void GiveBackMemory();

}  // namespace iprof::cli
