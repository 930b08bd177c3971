// LibraryNote: finds other copies of this library in the process.
//
// Why: two agents that both define classes in java.lang would bring the JVM down. Loading the same
// file twice is seen through Agent::Current; a copy of the file is another library with variables
// of its own. So each carries an ELF note that says what it is, and the loader's list of libraries
// shows them all.
//
// Any thread, any phase; reads only memory that the loader has mapped.
#pragma once

namespace iprof::vm {

// How many libraries in this process carry the note, this one included.
int CopiesOfThisLibrary();

}  // namespace iprof::vm
