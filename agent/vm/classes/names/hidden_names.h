// HiddenNames: the names in a profile for the classes of this JVM whose own name no image build
// would know: lambdas and proxies.
//
// Guarantees: a class keeps its name. The name is forgotten when the class or, for a proxy, its
// loader is unloaded. A class takes little memory, because the program defines all lambdas of a
// class again after each swap of its code: HotSpot's names are kept as hashes of 128 bits, and equal
// stable names once. Knows no JVM.
// Threads: any, in any phase; a mutex is held briefly and never during a call to other code.
// Failure: a class without a stable name keeps its own name, or has none where nullopt is possible.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/instrument/names/lambda_numbers.h"
#include "agent/vm/classes/names/hidden_class_names.h"
#include "agent/vm/classes/names/unload_tag.h"
#include "writer/base/murmur3.h"
#include "writer/base/name_table.h"
#include "writer/names/stable_names.h"

namespace iprof::vm {

class HiddenNames final : public HiddenClassNames {
 public:
  // `rule` is the naming rule of the image; `unboxing` is that of the running JVM.
  HiddenNames(NamingRule rule, instrument::Unboxing unboxing)
      : rule_(rule), lambda_numbers_(rule, unboxing) {}
  HiddenNames(const HiddenNames&) = delete;
  HiddenNames& operator=(const HiddenNames&) = delete;

  NamingRule rule() const { return rule_; }

  // Numbers the lambdas of a class that share a name.
  instrument::LambdaNumbers& lambda_numbers() { return lambda_numbers_; }
  const instrument::LambdaNumbers& lambda_numbers() const { return lambda_numbers_; }

  // All class names are internal: "a/B$$Lambda.0x01", as in JVMTI's signatures.
  void Add(std::string_view hotspot_name, std::string_view stable_name,
           UnloadTag tag = kNeverUnloaded, bool has_probes = false);
  // Call it for a new class without a stable name: an unloaded class with this HotSpot name may
  // have had one.
  void Remove(std::string_view hotspot_name);
  // Also chooses the number after the base name; equal texts get the same number. Returns the name.
  // The JVM numbers the packages of proxies in each loader ("jdk/proxy7"). Here all proxies
  // with equal texts have the package of the first one, so that a proxy that is created repeatedly
  // is one class.
  std::string AddProxy(std::string_view hotspot_name, const std::string& base,
                       std::string_view text, UnloadTag loader = kNeverUnloaded);
  // Forgets what was added with this tag.
  void Drop(UnloadTag tag);

  // While a hidden class is being defined, events may already show it, but HotSpot's name for it is
  // not known yet. While this object exists, a class on this thread with this name and HotSpot's
  // suffix has the stable name. Both texts must outlive the object.
  class Defining {
   public:
    Defining(std::string_view class_name, std::string_view stable_name);
    ~Defining();
    Defining(const Defining&) = delete;
    Defining& operator=(const Defining&) = delete;

   private:
    friend class HiddenNames;
    const std::string_view class_name_;
    const std::string_view stable_name_;
    const Defining* const outer_;
  };

  // Whether this lambda was defined with probes.
  bool HasProbes(std::string_view hotspot_name) const;

  // Returns the stable name, or the name itself if there is none; both internal.
  std::string InternalName(std::string_view hotspot_name) const;

  // In the form of Class.getName(), as in samples.
  std::optional<std::string> StableName(BinaryName hotspot_name) const override;
  std::optional<std::string> StableDescriptor(Descriptor descriptor) const override;
  // Maps JVMTI's signature to the name that the profile gives to any class, in UTF-8; nullopt if an
  // image would have no such class.
  std::optional<std::string> ProfileName(Descriptor signature) const;

  size_t size() const;   // classes that have a name now
  size_t bytes() const;  // approximate memory, without lambda_numbers()

 private:
  struct Name {
    UnloadTag tag;
    NameId stable;
    bool has_probes;
  };
  // Hashes of HotSpot's names.
  struct Spread {
    size_t operator()(const Hash128& hash) const { return hash.low; }
  };
  using Names = std::unordered_map<Hash128, Name, Spread>;
  // The texts for which the numbers after a proxy's base name stand, and how many classes each one
  // has.
  struct ProxyText {
    uint64_t hash;
    uint32_t classes;
  };

  // Call these with the mutex held.
  void Put(std::string_view hotspot_name, std::string_view stable_name, UnloadTag tag,
           bool has_probes);
  void Erase(Names::iterator at);
  void ReleaseProxy(const std::string& stable_name);
  // Returns the base name itself or, if packages are numbered, that of the first proxy with this
  // text.
  const std::string& FirstBase(const std::string& base, uint64_t text_hash);

  std::optional<std::string> Find(std::string_view hotspot_name) const;

  const NamingRule rule_;
  instrument::LambdaNumbers lambda_numbers_;
  mutable std::mutex mutex_;
  NameTable stable_names_;
  Names names_;
  std::unordered_map<UnloadTag, std::vector<Hash128>> by_tag_;
  std::unordered_map<std::string, std::vector<ProxyText>> proxies_;  // by base name
  std::unordered_map<uint64_t, std::string> first_bases_;            // by the text's hash
  size_t listed_ = 0;                                                // in by_tag_
  size_t text_bytes_ = 0;                                            // of first_bases_
};

}  // namespace iprof::vm
