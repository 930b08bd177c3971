// ClassesInLoops: the classes that have a method with a loop on a stack now.
//
// Why: when a class is swapped, its running methods go on in their old code, which HotSpot only interprets from then
// on. A method without a loop soon ends; one with a loop may run for hours.
//
// Guarantees: a loop is a jump backwards, so some that are none count as loops, but every loop counts. Stacks are
// read to 4,096 frames from their top. Virtual threads are not seen.
// Threads: any attached thread in the live phase. The environment can get bytecodes.
// Failure: nullopt if the JVM does not return the stacks; a method whose code it does not return has a loop.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <optional>
#include <span>

#include "agent/vm/classes/hot_classes.h"

namespace iprof::vm {

// Names as Class.getName() has them.
std::optional<ClassNames> ClassesInLoops(jvmtiEnv* jvmti, JNIEnv* jni);

// Whether the instructions of a method have a jump backwards. True for what is no valid code.
bool HasLoop(std::span<const uint8_t> code);

}  // namespace iprof::vm
