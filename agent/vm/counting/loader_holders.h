// LoaderHolders: holders of chunks inside class loaders that may not find the agent's own.
//
// For JVMs in which java.lang.Object could not be given members (ChunkReach): after an attach, with
// jdk=n, beside class archives. There the agent defines a small class in the loader itself, which
// refers to a chunk's arrays. HotSpot looks among a loader's own classes before it asks the loader,
// so that classes of this loader find it, and no code of the program runs for it.
//
// Guarantees:
//  - No loader is asked for anything that the JVM would not ask it for at that moment. A class can
//    only be defined in a loader that has given java.lang.Object before; or is asked for it next
//    anyway, since the class that is being loaded extends Object.
//  - Nothing blocks. HotSpot locks a loader that is not parallel capable while it defines a class in
//    it; that lock is free, or the thread has it, as it has where it is loading a class.
//  - A class of a named module finds a holder in its own package, all others one in iprof.agent.
//  - Loaders are not kept: a tag tells them apart, and when one is gone its entry goes.
//  - No lock is held across a call to the JVM. Threads that need a holder at one moment may each
//    define one.
// Threads: Start once, at VMInit or later; AddChunk as ChunkHolders; the rest on any thread in the
// live phase, the class-file hook included. Failure: the class has no access, and is left alone.
#pragma once

#include <jvmti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "agent/vm/counting/runtime_image.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/base/status.h"

namespace iprof::vm {

// What is known of a class that is to be given access.
struct ClassInLoader {
  jobject loader = nullptr;
  std::string_view name;  // internal
  std::span<const uint8_t> bytes;
  // An ordinary class that is being loaded on this thread, so that the thread has its loader's lock,
  // where there is one, and the JVM asks the loader for its superclass next.
  bool loading = false;
};

class LoaderHolders {
 public:
  enum class Kind : uint8_t { kCounters, kSites };
  // Why a class has no access.
  enum class Refusal : uint8_t { kObjectNotKnown, kLoaderBusy, kNotDefined };
  static constexpr size_t kRefusals = 3;
  // Heap for the sites of a chunk: for each an object of two ints, and a reference to it.
  static constexpr uint64_t kSiteObjectsBytes = uint64_t{kChunkSites} * (24 + 4);

  explicit LoaderHolders(uint32_t stripes) : stripes_(stripes) {}
  LoaderHolders(const LoaderHolders&) = delete;
  LoaderHolders& operator=(const LoaderHolders&) = delete;

  // Opens an environment of its own, so that tags are its own affair.
  Status Start(JavaVM* vm, JNIEnv* jni);
  // While the program goes on: no class gets access any more. True: and no
  // callback is under way.
  bool Close();

  // The arrays of a chunk: counters (long[], with stripes long[][]), or nothing for sites, whose
  // objects are made when they are needed. The object is a global reference.
  void AddChunk(Kind kind, uint32_t chunk, jobject arrays);

  // The name of a holder that the class finds; nothing, with the reason counted, where there can be
  // none.
  std::optional<std::string> Find(JNIEnv* jni, const ClassInLoader& type, Kind kind,
                                  uint32_t chunk);
  // Whether Find has a chance: asked before counters are taken. A refusal is counted.
  bool HasAccess(JNIEnv* jni, const ClassInLoader& type);

  // What the objects for sites take in the heap, about, and the entries of loaders outside it.
  uint64_t bytes() const;

  // Lines of verbose=1; empty where there was nothing to do.
  std::string Report() const;

 private:
  using Key = std::tuple<std::string, Kind, uint32_t>;  // package, what, chunk
  struct Loader {
    bool knows_object = false;
    std::map<Key, std::string> names;
  };

  Status LearnJvm(JNIEnv* jni);
  jlong TagOf(jobject loader);
  std::string PackageFor(const ClassInLoader& type) const;
  bool KnowsObject(JNIEnv* jni, jobject loader, jlong tag);
  bool MayLock(JNIEnv* jni, const ClassInLoader& type) const;
  std::optional<Refusal> Refused(JNIEnv* jni, const ClassInLoader& type, jlong tag);
  std::optional<std::string> Define(JNIEnv* jni, const ClassInLoader& type, Kind kind,
                                    uint32_t chunk, const std::string& package);
  bool Fill(JNIEnv* jni, jclass holder, Kind kind, uint32_t chunk);
  jobject SitesOf(JNIEnv* jni, uint32_t chunk);

  static void JNICALL ObjectFree(jvmtiEnv* jvmti, jlong tag);

  const uint32_t stripes_;
  JvmtiEnvironment environment_;
  std::atomic<bool> open_{false};  // between Start and Close
  // Global references and the like, set by Start.
  jclass object_ = nullptr;
  jclass site_ = nullptr;
  jmethodID make_sites_ = nullptr;
  jobject stripe_ = nullptr;
  jfieldID parallel_ = nullptr;

  mutable std::mutex mutex_;  // guards what follows
  jlong next_tag_ = 1;
  uint64_t next_number_ = 0;  // of holders
  std::unordered_map<jlong, Loader> loaders_;
  std::vector<jobject> counters_;  // by chunk
  std::vector<jobject> sites_;     // by chunk; null until needed
  uint64_t site_chunks_ = 0;       // of these, those that are there
  uint64_t names_ = 0;             // of holders in all loaders that are there
  std::array<std::atomic<uint64_t>, kRefusals> refused_{};
};

}  // namespace iprof::vm
