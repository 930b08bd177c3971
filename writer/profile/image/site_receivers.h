// SiteReceivers: the classes that were counted at virtual calls, and whether sampled callees agree with them.
//
// An image build dispatches a call directly to at most three classes, each with a tenth of the site's counts or more. In
// hot code it dispatches to the methods that were sampled under the call instead (sampled_calls.h). Both agree if these
// methods are certainly those that the classes select.
// Example: 95 of 100 calls are of class Quick, 5 of Slow. Quick is selected. If samples have only Slow.run, or Slow.run
// and Quick.run, they do not agree.
//
// A profile has no class hierarchy: of a class without an own method of that name and those parameters it does not say which
// method it inherits. So at most one selected class may inherit, and then one callee must be left that no other class
// of the site explains. Everything else counts as disagreement, after which a build looks at the classes, which is never wrong.
//
// Of a call that hardly ran, the classes are no evidence, and nothing is to be gained: Matters() says which calls ran often enough.
// Example: Thread.run called run() of a lambda four times and of a cleaner once. Samples under it may say what they like.
//
// Guarantees: classes are those of all records of a site. Of() leaves out records with callers, which only instrumented images
// write: they are as specific as samples. The order of adding makes no difference.
// Threads: one to add; then any. `methods` must stay. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

inline constexpr size_t kMostDispatched = 3;
inline constexpr int64_t kLeastDispatchedPercent = 10;
// However a thousand calls are dispatched, it takes or saves some microseconds of the whole run.
inline constexpr int64_t kFewestCalls = 1'000;

class SiteReceivers {
 public:
  // `methods` declares the methods and classes of the sites.
  explicit SiteReceivers(const Profile& methods) : methods_(methods) {}
  // With the records of that profile.
  static SiteReceivers Of(const Profile& profile);

  void Add(Frame site, std::span<const TypeCount> receivers);

  bool Has(Frame site) const { return sites_.contains(KeyOf(site)); }
  // Whether the call ran so often that its dispatch can matter.
  bool Matters(Frame site) const { return Calls(site) >= kFewestCalls; }
  // The classes that a build dispatches to; of equal counts, those with the smaller ids first.
  std::set<TypeIndex> Selected(Frame site) const;
  bool Agrees(Frame site, const std::set<MethodIndex>& callees) const;
  int64_t Calls(Frame site) const;
  template <typename Visit>
  void ForEachSite(Visit visit) const {
    for (const auto& [key, counted] : sites_) visit(FrameOf(key));
  }

 private:
  using Receivers = std::unordered_map<TypeIndex, int64_t>;
  struct Counted {
    Receivers receivers;
    int64_t calls = 0;
  };
  static uint64_t KeyOf(Frame site) {
    return (uint64_t{static_cast<uint32_t>(site.method)} << 32) | static_cast<uint32_t>(site.bci);
  }
  static Frame FrameOf(uint64_t key) {
    return {MethodIndex{static_cast<uint32_t>(key >> 32)},
            static_cast<Bci>(static_cast<uint32_t>(key))};
  }
  // Whether the class has an own method with the callee's name and parameters.
  bool Overrides(TypeIndex type, MethodIndex callee) const;
  // Whether only one of the selected classes can have led to the callee.
  bool OnlySelectedExplain(const Receivers& receivers, const std::set<TypeIndex>& selected,
                           MethodIndex callee) const;

  const Profile& methods_;
  std::unordered_map<uint64_t, Counted> sites_;
  std::unordered_map<TypeIndex, std::vector<MethodIndex>> methods_of_;  // of the sites' classes
};

}  // namespace iprof
