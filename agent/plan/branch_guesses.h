// Guesses which way an if goes, from its instruction and those before it.
//
// Guarantees: a guess costs at most time, never a count. The same code gives the same guess.
// Threads: any; a pure function. Failure: none.
#pragma once

#include "agent/classfile/code.h"

namespace iprof::instrument {

// How often the branch at `insn`, an if, is likely to be taken for each time that it is not. 1 if
// nothing suggests either.
float OddsOfTaking(const classfile::MethodCode& code, classfile::Insn insn);

}  // namespace iprof::instrument
