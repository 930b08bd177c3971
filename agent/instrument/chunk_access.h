// ChunkAccess: how the code of one class reaches its chunks if the class's loader may not find the
// agent's own holders.
//
// Guarantees (for implementations to keep): the same chunk always gives the same name.
// Threads: called on the thread that is rewriting the class, with no lock held.
// Failure: nullopt; the methods that need the chunk are then left unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace iprof::instrument {

class ChunkAccess {
 public:
  virtual ~ChunkAccess() = default;
  // Whether it uses the members that every class inherits (inherited_members.h); then there are no
  // holders.
  virtual bool inherited() const = 0;
  // The internal name of a class that the loader is sure to find and that replaces the chunk's
  // holder; nullopt if there is none.
  virtual std::optional<std::string> CounterHolder(uint32_t chunk) = 0;
  virtual std::optional<std::string> SiteHolder(uint32_t chunk) = 0;
};

}  // namespace iprof::instrument
