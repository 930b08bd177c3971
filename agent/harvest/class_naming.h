// ClassNaming: which name each class has in a profile, and which classes have none.
//
// Guarantees: the names are those of the agent. All copies of one lambda have its name, with the
// number 0: those of different loaders, and those that one loader has because threads raced to link
// it or because it was linked again.
//
// These have no name:
//  - The lambdas of a name of which one loader has several classes, unless one instruction of the
//    class file made them all. Nor if that cannot be told.
//  - A lambda that is alone, if a further instruction of its class file does the same, linked or
//    not. The agent would number them, and a JVM does not keep the order of methods. But if the
//    instructions cannot be read, the lambda has the number 0.
//  - Linkage classes, proxies and generated accessors.
//  - Classes of the agent.
// What has no name is counted, except for classes of the agent. The order of classes makes no
// difference.
// Threads: one. Failure: a lambda whose code cannot be read has no name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "agent/harvest/lambda_links.h"
#include "agent/hotspot/metadata.h"
#include "writer/names/stable_names.h"

namespace iprof::hotspot {

// Classes of one loader that are the same lambda, and the instruction that made them all.
struct LambdaCopies {
  std::vector<uint32_t> classes;
  LambdaLink link;
};

// Names the program's classes, which are those in `listed`, in the same order. Returns the lambdas
// of which a loader has several copies.
std::vector<LambdaCopies> NameClasses(Metadata& metadata, std::span<const ListedClass> listed,
                                      NamingRule rule, HarvestedProgram& program);

}  // namespace iprof::hotspot
