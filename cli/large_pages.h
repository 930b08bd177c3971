// LargePages: lets a command that allocates much take its memory in large pages.
//
// Why: a harvest of a compiler allocates 25 MB in small pieces. Touching each of their 6,000 pages of
// 4 KiB for the first time takes a tenth of the harvest's time; a kernel that has pages of 2 MiB gives
// the same in a dozen steps.
//
// Guarantees: changes only how malloc takes memory, for the next 64 MB of small pieces. What lies free
// between used pieces is kept, which is 19 MB after a harvest of javac.
// Threads: one; call it before others are started. Failure: none; where the C library or the kernel
// has no such pages, or a limit forbids to take 64 MB at once, memory is taken as before.
#pragma once

namespace iprof::cli {

void UseLargePages();

// Gives what is free back to the kernel, before a long wait.
void GiveBackMemory();

}  // namespace iprof::cli
