// ClassNaming: which name each class has in a profile, and which classes have none.
//
// Guarantees: the names are those of the agent. All copies of one lambda have its name, with the number
// 0: those of different loaders, and those that one loader has because threads raced to link it or
// because it was linked again. Where one loader has several classes of a name, and its class file does not
// make them all by one instruction, all lambdas of that name have none; also where that cannot be told. The same holds for a
// lambda that is alone, if its class file has a further instruction that does the same, linked or not: then which number it has is
// unknown, because a JVM does not keep the order of methods (if the instructions cannot be read, it has the number 0). Linkage classes, proxies and generated accessors have no
// name. What has none is counted. Classes of the agent have none either. The order of classes makes no difference.
// Threads: one. Failure: a lambda whose code cannot be read has no name.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "agent/hotspot/harvest/harvested_program.h"
#include "agent/hotspot/harvest/lambda_links.h"
#include "agent/hotspot/metadata.h"
#include "writer/names/stable_names.h"

namespace iprof::hotspot {

// Classes of one loader that are the same lambda, and the instruction that made them all.
struct LambdaCopies {
  std::vector<uint32_t> classes;
  LambdaLink link;
};

// Names the program's classes, which are those in `listed`, in the same order. Returns the lambdas of
// which a loader has several copies.
std::vector<LambdaCopies> NameClasses(Metadata& metadata, std::span<const ListedClass> listed,
                                      NamingRule rule, HarvestedProgram& program);

}  // namespace iprof::hotspot
