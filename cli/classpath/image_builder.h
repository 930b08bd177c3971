// For tests: JDK images in memory.
//
// Guarantees: the same bytes for the same arguments. Threads: any; pure. Failure: none.
#pragma once

#include <string>
#include <vector>

#include "cli/classpath/byte_file.h"

namespace iprof::classpath {

enum class Packing { kNone, kZip, kSharedConstants, kUnknown };

struct TestResource {
  std::string module;  // "java.base"
  std::string path;    // "java/lang/Object.class"
  Bytes bytes;
  Packing packing = Packing::kNone;
};

// Also lists the packages of the resources. Resources of kSharedConstants must be class files whose
// constants have texts only.
Bytes MakeImage(const std::vector<TestResource>& resources);

// A class file whose constant pool has these texts. Nothing but its form is right.
Bytes ClassOfTexts(const std::vector<std::string>& texts);

}  // namespace iprof::classpath
