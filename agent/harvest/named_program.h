// NamedProgram: a harvested program that tests put together, without a JVM.
//
// Threads: one. Failure: none.
#pragma once

#include <cstdint>
#include <string_view>

#include "agent/harvest/harvested_program.h"

namespace iprof::hotspot {

// A program of named methods; each call has its block's count.
class NamedProgram {
 public:
  uint32_t Class(std::string_view name, uint32_t super = kNoClass, uint16_t access = 1) {
    HarvestedClass klass;
    klass.name = name;
    klass.super = super;
    klass.access = access;
    klass.first_method = static_cast<uint32_t>(made.methods.size());
    made.classes.push_back(klass);
    return static_cast<uint32_t>(made.classes.size() - 1);
  }
  // Adds a method to the last class.
  uint32_t Method(std::string_view name, uint64_t invocations, bool has_data = true) {
    HarvestedMethod method;
    method.klass = static_cast<uint32_t>(made.classes.size() - 1);
    method.name = name;
    method.descriptor = "()V";
    method.invocations = method.data_invocations = invocations;
    method.has_data = has_data;
    made.methods.push_back(method);
    ++made.classes.back().methods;
    return static_cast<uint32_t>(made.methods.size() - 1);
  }
  void Call(uint32_t caller, classfile::Op op, std::string_view owner, std::string_view name,
            uint64_t count) {
    auto& calls = made.methods[caller].calls;
    calls.push_back({static_cast<uint32_t>(calls.size()), op, owner, name, "()V", count});
  }

  HarvestedProgram made;
};

}  // namespace iprof::hotspot
