// KnownClasses: all classes of a ClassTable, in the form from which profiles are made. Loaded
// classes use their own counters. The counts of unloaded classes follow after all others.
//
// Guarantees: no class changes while this object exists. Threads: one. Failure: throws
// std::bad_alloc if memory is short.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/instrument/table/class_table.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"

namespace iprof::instrument {

class KnownClasses final : public ClassSource {
 public:
  // `origin_of` judges the methods; it may be empty. `end` is asked once all classes are held: their counters are
  // below it, also those of classes that were loaded after the counters were read.
  KnownClasses(ClassTable& table, std::span<const uint64_t> counters, const TypeCounts& types,
               OriginOf origin_of, const std::function<size_t()>& end);
  ~KnownClasses() override { table_.ReleaseAll(classes_); }
  KnownClasses(const KnownClasses&) = delete;
  KnownClasses& operator=(const KnownClasses&) = delete;

  size_t size() const override { return classes_.size(); }
  std::string_view NameOf(size_t number) const override { return names_[number]; }
  const ClassRecord& Get(size_t number, ClassRecord& scratch) const override;

  std::span<const uint64_t> counters() const { return counters_; }
  const TypeCounts& types() const { return types_; }

 private:
  void AddUnloaded(const ClassRecord& klass, const UnloadedCounts& counts);

  ClassTable& table_;
  const std::vector<ClassId> classes_;
  const OriginOf origin_of_;
  std::vector<std::string_view> names_;
  // The first counter and site of an unloaded class; 0 for loaded ones.
  std::vector<std::pair<uint32_t, uint32_t>> bases_;
  std::vector<uint64_t> counters_;
  TypeCounts types_;
  uint32_t next_site_;
};

}  // namespace iprof::instrument
