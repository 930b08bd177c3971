// LambdaLinks: which invokedynamic instruction makes a loaded lambda.
//
// Why: several classes of one loader may have the base name of one lambda. Threads that race to link an
// instruction each make a class, and a class that was redefined or retransformed links its instructions
// again; all these are one lambda. But two instructions that do the same make two lambdas, which have
// different numbers (docs/names.md, "The number"). The class that contains the instructions tells.
//
// How: HotSpot's cache of a constant pool has an entry for each invokedynamic instruction. Those are compared
// by what decides the agent's numbers (agent/instrument/names/lambda_sites.h), except for the boxing
// of arguments and for further interfaces. So some lambdas count as two that the agent tells apart.
//
// Guarantees: an instruction is named only if no other one of its class makes lambdas of that base name.
// Threads: one. Failure: nullopt, also if several instructions may make the lambda.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/hotspot/address_map.h"
#include "agent/hotspot/metadata.h"
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
      : metadata_(metadata), listed_(listed), rule_(rule) {}

  // The only instruction that makes classes with the base name of listed[lambda]. `facts` are those of
  // that class.
  std::optional<LambdaLink> OnlyLinkOf(uint32_t lambda, const LambdaFacts& facts);

 private:
  struct Site {
    uint32_t entry = 0;
    PoolMember target;
    std::string_view descriptor;  // (captured values)interface
    bool is_static = false;       // the target
  };
  struct Host {
    Address pool = 0;
    std::vector<Site> sites;
  };

  const Host* HostOf(uint32_t lambda);
  Host ReadHost(const ListedClass& klass);
  std::optional<Site> ReadSite(const Pool& pool, std::span<const uint16_t> bootstraps,
                               uint16_t constant);
  bool Makes(const Site& site, const LambdaFacts& facts, bool with_owner, Address loader);
  // A class of the loader; null if it has none with this name.
  const ListedClass* Find(Address loader, std::string_view name);
  // Whether a static method that an instruction names in one class may be declared in another one.
  bool MayInherit(std::string_view named, std::string_view declaring, Address loader);

  Metadata& metadata_;
  const std::span<const ListedClass> listed_;
  const NamingRule rule_;
  AddressMap<Host> hosts_;
  size_t sites_kept_ = 0;
  // The first class of each loader and name; empty until it is needed.
  std::unordered_map<Address, std::unordered_map<std::string_view, uint32_t>> class_of_;
};

}  // namespace iprof::hotspot
