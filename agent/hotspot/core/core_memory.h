// CoreMemory: the memory of a process, read from its core file.
//
// The kernel leaves out pages that a file has unchanged, such as code, constants and the CDS
// archive. They are read from that file.
//
// Guarantees: never faults. A file is opened when its first page is needed.
// Threads: one. Failure: what neither the core nor a file has fails the read; missing() names the
// first file that was needed and could not be opened.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "agent/hotspot/core/core_layout.h"
#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

class CoreMemory final : public Memory {
 public:
  // Opens a mapped file by the path that the core names; null if it is not there.
  using OpenMapped = std::function<std::unique_ptr<Memory>(const std::string& path)>;

  // Both must outlive the object. Without `open`, only what the core itself has can be read.
  CoreMemory(const Memory& file, const CoreLayout& layout, OpenMapped open = {})
      : file_(file), layout_(layout), open_(std::move(open)) {}

  bool Read(Address from, void* into, size_t size) const override;

  const std::string& missing() const { return missing_; }

 private:
  // Reads the first bytes, and says how many; 0 if there are none.
  size_t ReadSome(Address from, char* to, size_t size) const;
  const Memory* Mapped(const std::string& path) const;

  const Memory& file_;
  const CoreLayout& layout_;
  const OpenMapped open_;
  mutable std::map<std::string, std::unique_ptr<Memory>> mapped_;
  mutable std::string missing_;
};

}  // namespace iprof::hotspot
