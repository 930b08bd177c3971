// LibraryNote: finds other copies of this library in the process.
//
// Why: two agents that both define classes in java.lang would crash the JVM. If the same file is
// loaded twice, LifeCycle notices it. But a copy of the file is another library with its own
// variables. So each copy contains an ELF note that identifies it, and the loader's list of
// libraries shows them all.
//
// Guarantees: reads only memory that the loader has mapped. Threads: any, in any phase. Failure:
// none.
#pragma once

namespace iprof::vm {

// The number of libraries in this process with the note, including this one.
int CopiesOfThisLibrary();

}  // namespace iprof::vm
