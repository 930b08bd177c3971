#include "cli/live/harvest_core.h"

#include <fmt/core.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "agent/harvest/harvest.h"
#include "agent/harvest/harvest_facts.h"
#include "agent/hotspot/core/archive_identity.h"
#include "agent/hotspot/core/build_id.h"
#include "agent/hotspot/core/core_layout.h"
#include "agent/hotspot/core/core_memory.h"
#include "agent/hotspot/file_memory.h"
#include "agent/hotspot/remote_jvm.h"
#include "agent/hotspot/unchanged_memory.h"
#include "agent/settings/main_program.h"
#include "writer/base/utc_time.h"

namespace iprof::cli {
namespace {

using hotspot::Address;
using hotspot::CoreLayout;
using hotspot::CoreMapping;
using hotspot::FileMemory;
using hotspot::Memory;

constexpr char kLibrary[] = "libjvm.so";

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string(".") : path.substr(0, slash);
}

// The files that belong to the core: libjvm, and those that are looked for beside it.
class Library {
 public:
  // `inside` reads only what is in the core.
  Library(const Memory& core, const CoreLayout& layout, const Memory& inside,
          const CoreMapping& mapping, std::string given)
      : core_(core),
        layout_(layout),
        inside_(inside),
        mapping_(mapping),
        given_(std::move(given)),
        path_(given_.empty() ? mapping.path : given_) {}

  // A file that was named must fit. One that was not may be absent, if the core has all pages.
  Status Check() {
    const auto file = FileMemory::Open(path_);
    if (file == nullptr) {
      why_ = fmt::format("{} cannot be opened ({})", path_, std::strerror(errno));
    } else if (std::string other = Difference(*file); !other.empty()) {
      why_ = std::move(other);
    }
    if (why_.empty() || given_.empty()) return {};
    return {Code::kBadInput, why_};
  }

  // Files beside libjvm, such as the CDS archive, are looked for beside the one that was given.
  std::unique_ptr<Memory> Open(const std::string& path) const {
    if (path == mapping_.path) return OpenLibrary();
    const bool is_beside = !given_.empty() && FolderOf(path) == FolderOf(mapping_.path);
    const std::string here = is_beside ? FolderOf(path_) + path.substr(path.rfind('/')) : path;
    auto file = FileMemory::Open(here);
    if (file != nullptr) opened_.push_back(here);
    if (file == nullptr) {
      refused_[path] = fmt::format("{} cannot be opened ({})", here, std::strerror(errno));
    } else if (hotspot::IsArchive(*file)) {
      const std::string other = hotspot::DifferenceOfArchive(*file, Owner());
      if (other.empty()) return file;
      refused_[path] = fmt::format("{} {}", here, other);
      file.reset();
    }
    return file;
  }

  const std::string& why_unusable() const { return why_; }

  const std::vector<std::string>& opened() const { return opened_; }

  // Why a file that the core names was not opened.
  std::string WhyRefused(const std::string& path) const {
    const auto found = refused_.find(path);
    return found == refused_.end() ? std::string("it is not here") : found->second;
  }

 private:
  std::unique_ptr<Memory> OpenLibrary() const {
    if (!why_.empty()) return nullptr;
    opened_.push_back(path_);
    return FileMemory::Open(path_);
  }

  // What the JVM says about its archive, read without any archive.
  hotspot::ArchiveOwner Owner() const {
    const hotspot::CoreMemory memory(core_, layout_, [&](const std::string& path) {
      return path == mapping_.path ? OpenLibrary() : nullptr;
    });
    const std::array<Address, 1> bases = {mapping_.at};
    const auto jvm = hotspot::RemoteJvm::Open(memory, bases);
    if (!jvm.ok()) return {};
    const Address header = (*jvm)->ArchiveHeader();
    return {(*jvm)->Build(),
            header == 0 ? std::nullopt : memory.Load<hotspot::ArchiveHead>(header)};
  }

  std::string Difference(const Memory& file) const {
    constexpr std::array<char, 4> kElf = {'\x7f', 'E', 'L', 'F'};
    std::array<char, 4> start{};
    if (!file.Read(0, start.data(), start.size()) || start != kElf)
      return fmt::format("{} is not a library (no ELF file)", path_);
    const std::string wanted = hotspot::BuildIdOf(inside_, mapping_.at);
    const std::string found = hotspot::BuildIdOf(file, 0);
    if (wanted != found) {
      return fmt::format("{} is another build than the core's {} (build id {} instead of {})",
                         path_, mapping_.path, found.empty() ? "none" : found,
                         wanted.empty() ? "none" : wanted);
    }
    if (!wanted.empty() || HasSameFirstPage(file)) return {};
    return fmt::format("{} is not known to be the core's {}: neither has a build id", path_,
                       mapping_.path);
  }

  bool HasSameFirstPage(const Memory& file) const {
    std::array<char, 4096> a;
    std::array<char, 4096> b;
    return inside_.Read(mapping_.at, a.data(), a.size()) && file.Read(0, b.data(), b.size()) &&
           a == b;
  }

  const Memory& core_;
  const CoreLayout& layout_;
  const Memory& inside_;
  const CoreMapping& mapping_;
  const std::string given_;
  const std::string path_;
  std::string why_;
  mutable std::vector<std::string> opened_;
  mutable std::map<std::string, std::string> refused_;  // by the path in the core
};

const CoreMapping* FindLibrary(const CoreLayout& layout) {
  const std::vector<Address> bases = layout.BasesOf(kLibrary);
  for (const CoreMapping& mapping : layout.mappings) {
    if (!bases.empty() && mapping.at == bases.front()) return &mapping;
  }
  return nullptr;
}

// A core does not say what the process could write.
std::vector<hotspot::MappedPart> MappedIn(const CoreLayout& layout) {
  std::vector<hotspot::MappedPart> parts;
  for (const CoreMapping& mapping : layout.mappings) {
    parts.push_back({.at = mapping.at,
                     .size = mapping.size,
                     .offset = mapping.offset,
                     .path = mapping.path,
                     .is_writable = true});
  }
  return parts;
}

// The argument may have been meant for a process.
Status WhyNotOpened(const std::string& path, int error) {
  if (error == EISDIR)
    return Status(Code::kIo, path + " is a folder: give a core file, or a process id");
  std::string why = fmt::format("cannot open {}: {}", path, std::strerror(error));
  if (error == ENOENT) why += "; 'iprof list' shows the process ids of JVMs";
  if (error == EINVAL) why = path + " is not a file, so it is no core";
  return Status(Code::kIo, std::move(why));
}

}  // namespace

Result<ProcessHarvest> HarvestCore(const CoreFiles& files, int naming_jdk) {
  const auto about = [&](const Status& status) {
    return Status(status.code(), files.core + " " + status.message());
  };
  const int64_t before_us = ProcessorTimeUs();
  const auto file = FileMemory::Open(files.core);
  if (file == nullptr) return WhyNotOpened(files.core, errno);
  const Result<CoreLayout> layout = CoreLayout::Read(*file, file->size());
  if (!layout.ok()) return about(layout.status());
  const CoreMapping* const mapping = FindLibrary(*layout);
  if (mapping == nullptr) {
    return about({Code::kBadInput,
                  layout->mappings.empty()
                      ? "has no list of mapped files (NT_FILE), so libjvm.so cannot be found in it"
                      : "is not the core of a JVM: no libjvm.so was loaded"});
  }
  const hotspot::CoreMemory inside(*file, *layout);
  Library library(*file, *layout, inside, *mapping, files.libjvm);
  if (Status status = library.Check(); !status.ok()) return status;
  const hotspot::CoreMemory memory(*file, *layout,
                                   [&](const std::string& path) { return library.Open(path); });
  const auto explain = [&](const Status& status) {
    if (memory.missing().empty()) return about(status);
    if (memory.missing() == mapping->path) {
      return Status(Code::kIo, fmt::format("{} does not contain all of libjvm.so, and {}: add "
                                           "--libjvm FILE",
                                           files.core, library.why_unusable()));
    }
    return Status(Code::kIo, fmt::format("{} does not contain all of {}, and {}", files.core,
                                         memory.missing(), library.WhyRefused(memory.missing())));
  };
  const std::array<Address, 1> bases = {mapping->at};
  const auto remote = hotspot::RemoteJvm::Open(memory, bases);
  if (!remote.ok()) return explain(remote.status());
  const hotspot::RemoteJvm& jvm = **remote;
  const hotspot::UnchangedMemory unchanged(
      MappedIn(*layout), [&](const hotspot::MappedPart& part) { return library.Open(part.path); });
  auto program =
      hotspot::HarvestProgram(memory, jvm.layout(), jvm.flags(), naming_jdk, {}, &unchanged);
  if (!program.ok()) return explain(program.status());

  ProcessHarvest harvest;
  harvest.program = std::move(*program);
  const vm::MainProgram started = vm::FromJavaCommand(jvm.JavaCommand(), {});
  harvest.main_class = started.name;
  harvest.public_program = vm::PublicName(started);
  harvest.jdk_version = jvm.Version();
  harvest.note = hotspot::NoteOf(*harvest.program, HarvestNote::kUnknownAge);
  harvest.note.time = UtcTextOfSeconds(file->changed_s());
  if (!memory.missing().empty()) {
    harvest.unread =
        fmt::format("the core does not contain all of {}, and {}: what is in there is left out",
                    memory.missing(), library.WhyRefused(memory.missing()));
  }
  harvest.files = library.opened();
  harvest.read_us = ProcessorTimeUs() - before_us;
  return harvest;
}

}  // namespace iprof::cli
