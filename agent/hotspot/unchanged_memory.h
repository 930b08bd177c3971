// UnchangedMemory: what a process had in memory when it had just mapped its files, read from the files.
//
// Example: an AOT cache holds counts of the run that it was trained with. The JVM maps it and counts on
// in its own copy of these pages. The file still has the numbers that the JVM began with.
//
// Guarantees: only what is in a mapped part of a file can be read. A file is opened when it is needed
// first. Threads: one. Failure: what lies elsewhere, or in a file that cannot be opened, fails the read.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "agent/hotspot/memory.h"
#include "agent/hotspot/process_libraries.h"

namespace iprof::hotspot {

class UnchangedMemory final : public Memory {
 public:
  // Null if the file cannot be opened, or is not the one that was mapped.
  using Open = std::function<std::unique_ptr<Memory>(const MappedPart&)>;

  // Parts that the process cannot write are left out: they are as they were.
  UnchangedMemory(std::vector<MappedPart> parts, Open open);

  // Whether a file is mapped there.
  bool Holds(Address at) const { return PartAt(at) != nullptr; }
  // All of it in one part.
  bool Read(Address from, void* into, size_t size) const override;

 private:
  const MappedPart* PartAt(Address at) const;

  std::vector<MappedPart> parts_;  // ascending
  const Open open_;
  mutable std::map<std::string, std::unique_ptr<Memory>> files_;  // by path; null: not opened
};

}  // namespace iprof::hotspot
