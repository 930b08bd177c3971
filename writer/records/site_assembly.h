// SiteAssembly: the part of AssembleProfile that turns the class counts of sites into receivers,
// monitors and type checks.
//
// Guarantees, threads and failure: as AssembleProfile.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "writer/profile/model.h"
#include "writer/records/class_record.h"
#include "writer/records/method_lines.h"
#include "writer/records/profile_assembly.h"
#include "writer/records/type_counts.h"

namespace iprof {

// A count as a profile has it.
inline int64_t Clamped(uint64_t count) {
  return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}

class SiteAssembly {
 public:
  SiteAssembly(const TypeCounts& types, const AssemblyOptions& options, Profile& profile,
               ContextEntries& entries)
      : types_(types), options_(options), profile_(profile), entries_(entries) {}

  // Notes the line of a position in a method's code, if the record has it. Keeps the method's lines for the next
  // position.
  void NoteLine(const ClassRecord& klass, const CountedMethod& method, uint32_t bci,
                MethodIndex index);
  // Call before class records are used that may have the addresses of earlier ones.
  void ForgetLines() { lines_of_ = nullptr; }

  // Adds all sites of a method, with their counts times `factor`. Versions of a method are added up.
  void Add(const ClassRecord& klass, const CountedMethod& method, MethodIndex index,
           double factor = 1);
  // For a version whose positions are not written: monitors have no position.
  void AddMonitorsOnly(const ClassRecord& klass, const CountedMethod& method);
  // Adds the calls of a static synchronized method.
  void AddStaticMonitor(uint64_t calls);

  // The number of objects that all sites of a method saw.
  uint64_t ObjectsIn(const ClassRecord& klass, const CountedMethod& method) const;

  // Writes the global entry. Call when all methods have been added.
  void WriteMonitors();
  void AddTo(AssemblyResult& statistics) const;

 private:
  const TypeCounts::Site* Take(const ClassSite& site, double factor = 1);
  // By the number of its name in types_.
  TypeIndex TypeNamed(uint32_t name);
  void AddMonitors(const TypeCounts::Site& site);
  void WriteSite(const ClassRecord& klass, const CountedMethod& method, MethodIndex index,
                 const ClassSite& site, const TypeCounts::Site& counts);

  const TypeCounts& types_;
  const AssemblyOptions options_;
  Profile& profile_;
  ContextEntries& entries_;
  const CountedMethod* lines_of_ = nullptr;
  std::vector<LineStart> lines_;              // of this method
  TypeCounts::Site scaled_;                   // what was taken last, if a factor changed it
  std::unordered_set<uint32_t> taken_;        // numbers of sites with many types
  uint64_t claimed_again_ = 0;                // sites whose counts belong to another one
  std::map<std::string, uint64_t> monitors_;  // by type name
  uint64_t monitors_lost_ = 0;
  uint64_t written_ = 0;
  uint64_t left_out_ = 0;
  std::vector<std::string> left_out_examples_;
  std::vector<std::optional<TypeIndex>>
      type_of_name_;  // by number of the name, as far as they are known
  // Of the site that is written.
  std::vector<std::pair<uint32_t, uint64_t>> order_;  // number of the name, count
  std::vector<TypeCount> made_;
};

}  // namespace iprof
