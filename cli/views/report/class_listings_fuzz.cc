// Fuzzes the listings of a report: no class file crashes them or makes them hang, and what they list keeps its promises.
// All methods of the class are listed, and their blocks counted.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "agent/classfile/class_file.h"
#include "cli/views/report/block_executions.h"
#include "cli/views/report/class_listings.h"
#include "writer/base/utf8.h"
#include "writer/names/type_names.h"

namespace {

using namespace iprof;

// The methods of the class, as a profile names them.
std::vector<MethodIndex> Declare(const std::vector<uint8_t>& bytes, Profile& names) {
  classfile::Arena memory;
  classfile::ClassFile file;
  std::vector<MethodIndex> methods;
  if (file.Parse(bytes, memory) != classfile::Reason::kOk) return methods;
  for (const classfile::MemberInfo& member : file.methods()) {
    const auto types = SignatureOf(NormalizeUtf8(file.DescriptorOf(member)));
    if (!types) continue;
    std::vector<TypeIndex> signature = {names.AddType("T")};
    for (const std::string& type : *types) signature.push_back(names.AddType(type));
    methods.push_back(names.AddMethod(NormalizeUtf8(file.NameOf(member)), signature));
  }
  return methods;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::vector<uint8_t> bytes(data, data + size);
  Profile names;
  report::ClassListings listings([&](std::string_view) { return bytes; }, nullptr);
  for (const MethodIndex method : Declare(bytes, names)) {
    const std::optional<MethodListing> listing = listings.Find(names, method);
    if (!listing) continue;
    Bci last = -1;
    for (const ListedInstruction& instruction : listing->instructions) {
      if (instruction.bci <= last) std::abort();
      last = instruction.bci;
    }
    // Every branch went to its first target.
    BranchCounts branches;
    for (const ListedInstruction& instruction : listing->instructions) {
      if (!instruction.targets.empty())
        branches[instruction.bci][instruction.targets.front()] = instruction.bci;
    }
    CountBlocks(listing->instructions, static_cast<int64_t>(size), branches);
  }
  return 0;
}
