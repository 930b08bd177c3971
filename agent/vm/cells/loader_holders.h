// LoaderHolders: holders of chunks inside class loaders that may not find the agent's own classes.
//
// They are for JVMs in which java.lang.Object could not be given members (ChunkReach): after an
// attach, with jdk=n, or with class archives. There the agent defines a small class in the loader
// itself, which refers to a chunk's arrays. HotSpot searches a loader's own classes before it calls
// the loader. So classes of this loader find the holder without running code of the program.
//
// Guarantees:
// - No loader is asked for anything that the JVM would not ask it for at that moment. A class can
//   be defined in a loader only if the loader has resolved java.lang.Object before, or is asked for
//   it next anyway, because the class that is being loaded extends Object.
// - Nothing blocks. HotSpot locks a loader that is not parallel capable while it defines a class in
//   it. That lock must be free or held by this thread, as it is while this thread loads a class.
// - A class in a named module finds a holder in its own package; all others find one in
//   iprof.agent.
// - Loaders are not kept alive: a tag identifies them, and when one is gone its entry is deleted.
// - No lock is held during a call to the JVM. Threads that need a holder at the same moment may
//   each define one.
// Threads: Start once, at VMInit or later; AddChunk as ChunkHolders; the rest on any thread in the
// live phase, including the class-file hook.
// Failure: the class has no access and is left unchanged.
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

#include "agent/vm/cells/runtime_image.h"
#include "agent/vm/jvmti/jvmti_environment.h"
#include "writer/base/status.h"

namespace iprof::vm {

// What is known of a class that is to be given access.
struct ClassInLoader {
  jobject loader = nullptr;
  std::string_view name;  // internal
  std::span<const uint8_t> bytes;
  // The class is an ordinary one that this thread is loading. So this thread holds its loader's
  // lock, if there is one, and the JVM asks the loader for its superclass next.
  bool loading = false;
};

class LoaderHolders {
 public:
  enum class Kind : uint8_t { kCounters, kSites };
  // Why a class has no access.
  enum class Refusal : uint8_t { kObjectNotKnown, kLoaderBusy, kNotDefined };
  static constexpr size_t kRefusals = 3;
  // The heap for the sites of a chunk: for each site an object of two ints and a reference to it.
  static constexpr uint64_t kSiteObjectsBytes = uint64_t{kChunkSites} * (24 + 4);

  explicit LoaderHolders(uint32_t stripes) : stripes_(stripes) {}
  LoaderHolders(const LoaderHolders&) = delete;
  LoaderHolders& operator=(const LoaderHolders&) = delete;

  // Opens its own environment, so that its tags are independent.
  Status Start(JavaVM* vm, JNIEnv* jni);
  // Called while the program keeps running: from now on no class gets access. Returns true if no
  // callback is running.
  bool Close();

  // Adds the arrays of a chunk: counters (long[], with stripes long[][]). For sites, whose objects
  // are created when needed, it is null. The object must be a global reference.
  void AddChunk(Kind kind, uint32_t chunk, jobject arrays);

  // Returns the name of a holder that the class finds. If none is possible, returns nullopt and
  // counts the reason.
  std::optional<std::string> Find(JNIEnv* jni, const ClassInLoader& type, Kind kind,
                                  uint32_t chunk);
  // Whether Find can succeed; call it before counters are taken. A refusal is counted.
  bool HasAccess(JNIEnv* jni, const ClassInLoader& type);

  // The approximate size of the objects for sites in the heap, and of the loaders' entries outside
  // it.
  uint64_t bytes() const;

  // Lines for verbose=1; empty if nothing was done.
  std::string Report() const;
  // For a user: the classes that could not be counted, by reason.
  std::string LeftAlone() const;

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
  // Global references and ids, set by Start.
  jclass object_ = nullptr;
  jclass site_ = nullptr;
  jmethodID make_sites_ = nullptr;
  jobject stripe_ = nullptr;
  jfieldID parallel_ = nullptr;

  mutable std::mutex mutex_;  // guards the members below
  jlong next_tag_ = 1;
  uint64_t next_number_ = 0;  // of holders
  std::unordered_map<jlong, Loader> loaders_;
  std::vector<jobject> counters_;  // by chunk
  std::vector<jobject> sites_;     // by chunk; null until needed
  uint64_t site_chunks_ = 0;       // how many of sites_ exist
  uint64_t names_ = 0;             // of holders in all loaders that exist
  std::array<std::atomic<uint64_t>, kRefusals> refused_{};
};

}  // namespace iprof::vm
