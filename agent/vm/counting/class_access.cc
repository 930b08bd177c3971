#include "agent/vm/counting/class_access.h"

#include <fmt/format.h>

#include <optional>

#include "agent/vm/counting/loader_holders.h"
#include "agent/vm/counting/loader_kinds.h"

namespace iprof::vm {
namespace {

// For classes whose loader may not find the agent's classes, if every class inherits access.
class InheritedAccess final : public instrument::ChunkAccess {
 public:
  bool inherited() const override { return true; }
  std::optional<std::string> CounterHolder(uint32_t /*chunk*/) override { return std::nullopt; }
  std::optional<std::string> SiteHolder(uint32_t /*chunk*/) override { return std::nullopt; }
};

// The same, if classes inherit no access. The methods of a class usually use one chunk.
class LoaderAccess final : public instrument::ChunkAccess {
 public:
  LoaderAccess(LoaderHolders& holders, JNIEnv* jni, const ClassInLoader& type)
      : holders_(holders), jni_(jni), type_(type) {}

  bool inherited() const override { return false; }
  std::optional<std::string> CounterHolder(uint32_t chunk) override {
    return Find(LoaderHolders::Kind::kCounters, chunk, counters_);
  }
  std::optional<std::string> SiteHolder(uint32_t chunk) override {
    return Find(LoaderHolders::Kind::kSites, chunk, sites_);
  }

 private:
  struct Last {
    std::optional<uint32_t> chunk;
    std::optional<std::string> name;
  };

  std::optional<std::string> Find(LoaderHolders::Kind kind, uint32_t chunk, Last& last) {
    if (last.chunk != chunk) last = {chunk, holders_.Find(jni_, type_, kind, chunk)};
    return last.name;
  }

  LoaderHolders& holders_;
  JNIEnv* const jni_;
  const ClassInLoader& type_;
  Last counters_;
  Last sites_;
};

}  // namespace

bool ClassAccess::With(jvmtiEnv* jvmti, JNIEnv* jni, const ClassInLoader& type,
                       const std::function<bool(instrument::ChunkAccess*)>& instrument) {
  switch (KindOfLoader(jvmti, jni, type.loader)) {
    case LoaderKind::kReflection:
      ++for_reflection_;
      return false;
    case LoaderKind::kCustom:
      break;
    default:
      return instrument(nullptr);
  }
  if (!reach_.has_members()) {
    if (!reach_.loader_holders().HasAccess(jni, type)) return false;
    LoaderAccess in_loader(reach_.loader_holders(), jni, type);
    return instrument(&in_loader);
  }
  if (!reach_.is_open()) {
    ++too_early_;
    return false;
  }
  InheritedAccess inherited;
  return instrument(&inherited);
}

std::string ClassAccess::Report() const {
  std::string report;
  if (const uint64_t count = too_early_.load(); count > 0) {
    report += fmt::format(
        "classes left alone: {} (their class loaders came "
        "before the JVM was initialised)\n",
        count);
  }
  if (const uint64_t count = for_reflection_.load(); count > 0) {
    report += fmt::format(
        "classes left alone: {} (made by reflection for "
        "classes of other loaders)\n",
        count);
  }
  return report;
}

}  // namespace iprof::vm
