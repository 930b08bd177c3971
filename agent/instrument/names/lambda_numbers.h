// LambdaNumbers: the numbers of lambdas that share a name in their class, by call site.
//
// Nearly every call site has number 0, because nearly every lambda does something of its own. Only
// the others are kept here, as one hash and one number each.
//
// Guarantees: depends on class files, not on the order or number of linkages. A class file that is
// noted again adds nothing; of two versions of a class the one that was noted last is believed.
// Holds at most kMostSites; what comes later has number 0, and refused() counts it. Threads: any; a
// short mutex, held across no call.
#pragma once

#include <cstdint>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "agent/instrument/names/lambda_sites.h"

namespace iprof::instrument {

class LambdaNumbers {
 public:
  static constexpr size_t kMostSites = 1 << 16;

  LambdaNumbers(NamingRule rule, Unboxing unboxing) : rule_(rule), unboxing_(unboxing) {}

  // Learns a class file before it is rewritten.
  void Note(classfile::ByteSpan class_file);

  // Whether some call site of the class may have a number other than 0. Internal name.
  bool AnyIn(std::string_view class_name) const;

  // 0 for call sites that are not known.
  uint32_t NumberOf(std::string_view class_name, std::string_view method,
                    std::string_view descriptor, DynamicCall call) const;

  size_t size() const;       // call sites
  size_t bytes() const;      // of memory, about
  uint64_t refused() const;  // call sites for which there was no room

 private:
  const NamingRule rule_;
  const Unboxing unboxing_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by hash of the call site; none is 0
  std::unordered_map<uint64_t, uint32_t> classes_;  // by hash of the name: how many of the above
  uint64_t refused_ = 0;
};

}  // namespace iprof::instrument
