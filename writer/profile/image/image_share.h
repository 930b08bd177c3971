// ImageShare: how much of a profile an image build can use.
//
// Guarantees: an entry counts as usable if MakeImageProfile (image_profile.h) would keep it, whole
// or cut. Weights are sums of counts and saturate.
// Threads: one per object. Failure: none.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "writer/profile/image/image_use.h"
#include "writer/profile/model.h"

namespace iprof {

struct ImageShare {
  struct Part {
    size_t entries = 0;
    size_t usable_entries = 0;
    int64_t weight = 0;
    int64_t usable_weight = 0;
    bool operator==(const Part&) const = default;
  };
  std::array<Part, kTableCount> tables;

  // Adds one entry. `uses` are those of its frames, innermost first; empty for monitors.
  void Add(Table table, std::span<const MethodUse* const> uses, int64_t weight, ImageTarget target);
  Part Of(Table table) const { return tables[static_cast<size_t>(table)]; }
  size_t entries() const;
  size_t usable_entries() const;
};

// Whether any part of such an entry is kept.
bool IsUsable(Table table, std::span<const MethodUse* const> uses, ImageTarget target);

// What images can use of each method, by MethodIndex.
std::vector<MethodUse> UsesOfMethods(const Profile& profile);

// Of the frames of a context; see there.
bool IsWorkOfJvm(const Profile& profile, std::span<const MethodUse> uses, ContextIndex context);

}  // namespace iprof
