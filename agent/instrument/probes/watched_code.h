// WatchedCode: the instructions at which stacks are taken (contexts=all), and the probes there.
//
// A probe is a call with the instruction's operands and the site's number, before the instruction:
//
//     a call            <receiver>; sipush site; invokestatic object(Object,int)      the receiver is copied from below
//     ifeq, a switch    dup; sipush site; invokestatic number(int,int)                the arguments (BeforeCall)
//     if_icmplt         dup2; sipush site; invokestatic numbers(int,int,int)
//     ifnull            dup; sipush site; invokestatic object(Object,int)
//     if_acmpeq         dup2; sipush site; invokestatic objects(Object,Object,int)
//
// These are methods of java/lang/IprofContexts, or inherited members with the same names (inherited_members.h). Which way
// a branch will go follows from its operands, so only one execution in thousands pays for it.
//
// Example: `ifeq 20` at 7 is {.op = ifeq, .taken = 20, .next = 10}; with the operand 0 it goes to 20.
//
// Guarantees, threads and failure: as ProbeEmitter. WayOf is pure.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/classfile/method_editor.h"
#include "agent/classfile/uninitialized.h"

namespace iprof::instrument {

inline constexpr std::string_view kContextsClassName = "java/lang/IprofContexts";

// All positions are those of the class file.
struct WatchedCode {
  classfile::Op op;
  uint32_t taken = 0;                                    // of a branch; of a switch the default's
  uint32_t next = 0;                                     // of a branch
  std::vector<std::pair<int32_t, uint32_t>> cases = {};  // of a switch: key and target
};

// The operands of a branch, as far as it has them.
struct BranchOperands {
  int32_t first = 0;
  int32_t second = 0;
  bool are_same = false;  // of if_acmpeq: the same object; of ifnull: null
};

// Where the branch goes.
uint32_t WayOf(const WatchedCode& code, const BranchOperands& operands);

// Whether there can be a probe: at a call with a receiver, or at a branch or a switch with few keys. `uninitialized` is of
// this code.
bool CanBeWatched(const classfile::MethodCode& code, classfile::Insn insn, bool is_call,
                  const classfile::UninitializedObjects& uninitialized);
WatchedCode Watched(const classfile::MethodCode& code, classfile::Insn insn);
// `inherited`: through inherited members.
void EmitWatch(classfile::Insn insn, uint32_t site, bool inherited,
               classfile::MethodEditor& editor);

}  // namespace iprof::instrument
