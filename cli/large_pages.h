// LargePages: lets a command that allocates much take its memory in large pages.
//
// Why: a harvest of a compiler allocates 25 MB in small pieces. Touching each of their 6,000 pages of
// 4 KiB for the first time takes a tenth of the harvest's time; a kernel that has pages of 2 MiB gives
// the same in a dozen steps.
//
// Guarantees: changes how memory is taken and nothing else. Memory that is not used is not taken, up
// to one large page.
// Threads: one; call it before others are started. Failure: none; where the C library or the kernel
// has no such pages, nothing changes.
#pragma once

namespace iprof::cli {

void UseLargePages();

}  // namespace iprof::cli
