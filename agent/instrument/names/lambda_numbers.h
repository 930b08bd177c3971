// LambdaNumbers: the numbers of lambdas that share a name in their class, by call site.
//
// Nearly every call site has the number 0, because nearly every lambda is unique in its class. Only
// other call sites are stored here, as one hash and one number each.
//
// Guarantees: the numbers depend on class files, not on the order or number of linkages. Noting a
// class file again adds nothing. If a class has two versions, the last one noted is used. Stores at
// most kMostSites call sites.
// Threads: any; a mutex is held briefly and never during a call to other code.
// Failure: call sites beyond the limit have the number 0, and refused() counts them.
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

  // Reads a class file before it is rewritten.
  void Note(classfile::ByteSpan class_file);

  // Whether a call site of the class may have a number other than 0. The name is internal.
  bool AnyIn(std::string_view class_name) const;

  // Returns 0 for unknown call sites.
  uint32_t NumberOf(std::string_view class_name, std::string_view method,
                    std::string_view descriptor, DynamicCall call) const;

  size_t size() const;       // number of call sites stored
  size_t bytes() const;      // approximate memory
  uint64_t refused() const;  // call sites for which there was no room

 private:
  const NamingRule rule_;
  const Unboxing unboxing_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> numbers_;  // by hash of the call site; no value is 0
  // by hash of the name: number of its entries in numbers_
  std::unordered_map<uint64_t, uint32_t> classes_;
  uint64_t refused_ = 0;
};

}  // namespace iprof::instrument
