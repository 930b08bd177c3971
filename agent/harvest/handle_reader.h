// HandleReader: which methods an executed invokedynamic call site leads to.
//
// Why: HotSpot counts how often such a site is executed, but not what it calls. Languages that call
// through them, such as Groovy, would look as if nothing called their methods. The call site's object
// is in the constant pool's resolved references, and its tree of method handles names the methods.
//
// How: objects are scanned, not interpreted. A word of an object counts as a reference only if it
// leads to an object of a class that the JVM lists, and a word of a ResolvedMethodName as a method
// only if it is the address of a listed one. So neither the offsets of Java fields nor what a
// collector moves during the read can lead to a method that does not exist; what is missed stays unknown.
// A guard passes on its own counts; the handler of an exception passes on nothing.
//
// Guarantees: bounded: each site looks at no more than kMostObjects objects.
// Threads: one. Failure: nothing is found, as for collectors whose references are not plain
// addresses.
#pragma once

#include <cstdint>
#include <vector>

#include "agent/harvest/harvested_program.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/vm_flags.h"

namespace iprof::hotspot {

// One of the methods that a site calls.
struct HandleTarget {
  uint32_t method = 0;
  uint32_t receiver = kNoClass;  // the class of the object that is bound, if there is one
  bool is_virtual = false;
  double share = 0;  // of the site's executions
};

// How the references in objects are encoded.
enum class References : uint8_t { kUnknown, kNarrow, kWide };
References ReferencesOf(const VmFlags& flags);

class HandleReader {
 public:
  // `listed` has the program's methods.
  HandleReader(const Metadata& metadata, References references,
               const NumberMap<uint32_t>& class_numbers, const HarvestedProgram& program,
               const std::vector<ListedMethod>& listed);

  // `operand` is that of the rewritten instruction: the site's entry in the pool's cache.
  std::vector<HandleTarget> TargetsOf(const Pool& pool, uint32_t operand);
  // Which of these classes the site leads to: it calls one of their methods, or has an object of them.
  // The site of a lambda leads to the class that it makes.
  std::vector<uint32_t> ClassesAt(const Pool& pool, uint32_t operand,
                                  const std::vector<uint32_t>& classes);

 private:
  static constexpr int kMostObjects = 200;
  static constexpr int kDeepest = 40;
  enum class Kind : uint8_t {
    kOther,
    kHandle,
    kDirect,
    kSite,
    kMember,
    kResolved,
    kInts,
    kMirror,
    kForm
  };
  struct Object {
    Address at = 0;
    uint32_t klass = kNoClass;
    Kind kind = Kind::kOther;
  };

  Kind KindOf(uint32_t klass) const;
  Object ObjectAt(Address at) const;
  // The objects that its words lead to, in their order.
  std::vector<Object> PartsOf(const Object& object) const;
  Address SiteAt(const Pool& pool, uint32_t operand) const;
  void Walk(const Object& handle, double share);
  void AddTarget(const Object& handle, double share);
  uint32_t MethodOf(const Object& resolved) const;
  std::vector<double> SharesOf(const std::vector<Object>& parts) const;
  bool IsSubtype(uint32_t klass, uint32_t of) const;

  const BlockCache& memory_;
  const MetadataLayout& layout_;
  const NumberMap<uint32_t>& class_numbers_;
  const HarvestedProgram& program_;
  NumberMap<uint32_t> methods_;  // by address
  std::vector<Kind> kinds_;      // by class
  const bool is_known_, is_narrow_;
  std::vector<Address> path_;
  std::vector<uint32_t> bound_;  // classes of objects on the path
  std::vector<uint32_t> met_;    // classes of all objects that were bound
  std::vector<HandleTarget> found_;
  int looked_at_ = 0;
};

}  // namespace iprof::hotspot
