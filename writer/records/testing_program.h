// A program for tests of what calls what: classes whose methods count their entries and their calls.
//
// Guarantees: counters are numbered in the order in which methods were added. Threads: one per
// object. Failure: nothing is checked; a wrong program is an error of the test.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "writer/records/class_record.h"
#include "writer/records/method_record.h"
#include "writer/records/profile_assembly.h"

namespace iprof {

class TestProgram {
 public:
  static constexpr uint16_t kInterface = 0x0200;

  ClassRecord& Class(std::string_view name, std::string_view super = "java/lang/Object",
                     uint16_t access = 0) {
    auto c = std::make_unique<ClassRecord>();
    c->name = c->Keep(name);
    c->super_name = c->Keep(super);
    c->access = access;
    classes_.push_back(std::move(c));
    return *classes_.back();
  }

  // A method ()V. Counter 0 has its entries, counter 1 + i the executions of its call i.
  CounterIndex Method(ClassRecord& c, std::string_view name,
                      const std::vector<Callee>& calls = {}) {
    MethodRecord record;
    record.derivation.counter_count = 1 + static_cast<uint32_t>(calls.size());
    for (uint32_t i = 0; i < calls.size(); ++i) {
      const Callee& callee = calls[i];
      record.calls.push_back({3 + i, static_cast<uint32_t>(c.callees.size()), 1 + i});
      c.callees.push_back({c.Keep(callee.owner), c.Keep(callee.name), c.Keep(callee.descriptor),
                           callee.virtual_call});
    }
    CountedMethod method;
    method.name = c.Keep(name);
    method.descriptor = "()V";
    method.record = static_cast<uint32_t>(c.records.size());
    method.counters = record.derivation.counter_count;
    method.first = CounterIndex{counters_};
    counters_ += method.counters;
    EncodeMethodRecord(record, &c.records);
    c.methods.push_back(method);
    return method.first;
  }

  RecordedClasses Classes() const {
    std::vector<const ClassRecord*> all;
    for (const auto& c : classes_) all.push_back(c.get());
    return RecordedClasses(std::move(all));
  }

 private:
  std::vector<std::unique_ptr<ClassRecord>> classes_;
  uint32_t counters_ = 0;
};

inline Callee Static(std::string_view owner, std::string_view name) {
  return {owner, name, "()V", false};
}
inline Callee Virtual(std::string_view owner, std::string_view name) {
  return {owner, name, "()V", true};
}

}  // namespace iprof
