// LambdaLinks: which invokedynamic instruction makes a loaded lambda.
//
// Why: several classes of one loader may have the base name of one lambda. Threads that race to
// link an instruction each make a class, and a class that was redefined or retransformed links its
// instructions again; all these are one lambda. But two instructions that do the same make two
// lambdas, which have different numbers (docs/names.md, "The number"). The class that contains the
// instructions shows which is the case.
//
// How: HotSpot's cache of a constant pool has an entry for each invokedynamic instruction. What
// their lambdas do is compared as the agent compares it (agent/classfile/lambda_shape.h). But which
// of them made a class follows from the name of the method that the class calls, from the number of its
// calls, and from what it captures and implements. So some lambdas count as two here that the agent
// can distinguish.
//
// A serializable lambda has a second instruction in $deserializeLambda$. If that method never ran,
// it does not count: compilers put it behind the methods of the source, so the first instruction
// has the number 0. But the bodies of lambdas (private synthetic methods of any name) and
// the class initializer may be behind it. What these make is left as it is.
//
// Guarantees: an instruction is named only if no other one of its class makes lambdas of that base
// name. The instructions of a class are read in full only if two of them name the same method, or
// for OnlyLinkOf.
// Threads: one. Failure: nullopt, also if several instructions may make the lambda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/classfile/lambda_shape.h"
#include "agent/hotspot/metadata.h"
#include "agent/hotspot/original_code.h"
#include "writer/base/number_map.h"
#include "writer/names/stable_names.h"

namespace iprof::hotspot {

// An invokedynamic instruction.
struct LambdaLink {
  Address pool = 0;    // of its class
  uint32_t entry = 0;  // in the pool's cache
};

class LambdaLinks {
 public:
  // `listed` has all classes, a class before its previous versions.
  LambdaLinks(Metadata& metadata, std::span<const ListedClass> listed, NamingRule rule)
      : metadata_(metadata),
        listed_(listed),
        rule_(rule),
        unboxing_(classfile::UnboxingOfJdk(metadata.layout().major)) {}

  // The only instruction that makes classes with the base name of listed[lambda]. `facts` are those
  // of that class.
  std::optional<LambdaLink> OnlyLinkOf(uint32_t lambda, const LambdaFacts& facts);

  // Whether the number in the name of listed[lambda] is not known: its class has several
  // instructions that make lambdas that do the same, and one of them may have made it. False where
  // the instructions cannot be read.
  bool MayHaveTwin(uint32_t lambda, const LambdaFacts& facts);

 private:
  enum class Which : uint8_t { kAll, kRepeated };
  struct Site {
    uint32_t entry = 0;
    PoolMember target;
    std::string_view descriptor;  // (captured values)interface
    bool is_static = false;       // the target
    bool has_twin = false;        // another instruction does the same
    bool is_serializable = false;
    std::string text;  // while the instructions are read
    size_t calls = 0;  // in the lambda's method
  };
  struct Host {
    Address pool = 0;
    std::vector<Site> sites;
    bool is_cut = false;  // there are too many
  };
  struct Constants {  // of a host
    Pool pool;
    PoolCache cache;
    std::vector<uint16_t> bootstraps;
  };

  // With the instructions that name the same method as another one, or with all. Null if there is
  // no such class.
  const Host* HostOf(uint32_t lambda, Which which);
  Host ReadHost(const ListedClass& klass, Which which);
  std::optional<Constants> ReadConstants(Address at);
  // Reads one instruction; nullopt if it makes no lambda.
  std::optional<Site> ReadSite(const Constants& constants, uint16_t constant);
  // Where the bootstrap method and its arguments are; nullopt if there are too few for a lambda.
  static std::optional<std::span<const uint16_t>> BootstrapOf(const Constants& constants,
                                                              uint16_t constant);
  static std::vector<uint32_t> RepeatedEntries(const Constants& constants);
  void LeaveOutDeserializer(const ListedClass& klass, const Constants& constants, Host& host);
  // The entries of a method's instructions.
  std::optional<std::vector<uint32_t>> EntriesOf(const ListedClass& klass,
                                                 const ListedMethod& method, const Host& host,
                                                 const Constants& constants) const;
  bool Makes(const Site& site, const LambdaFacts& facts, bool with_owner, Address loader);
  bool IsSameKind(const Site& site, const LambdaFacts& facts) const;
  // A class of the loader; null if it has none with this name.
  const ListedClass* Find(Address loader, std::string_view name);
  // Whether a static method that an instruction names in one class may be declared in another one.
  bool MayInherit(std::string_view named, std::string_view declaring, Address loader);

  Metadata& metadata_;
  const std::span<const ListedClass> listed_;
  const NamingRule rule_;
  const classfile::Unboxing unboxing_;
  NumberMap<Host> hosts_, repeated_;  // by class
  size_t sites_kept_ = 0;
  size_t text_bytes_ = 0;
  // The first class of each loader and name; empty until it is needed.
  std::unordered_map<Address, std::unordered_map<std::string_view, uint32_t>> class_of_;
};

}  // namespace iprof::hotspot
