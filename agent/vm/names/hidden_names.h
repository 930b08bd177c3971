// HiddenNames: which class of this JVM has which name in a profile, for the classes whose own name
// no image build would know: lambdas and proxies.
//
// Guarantees: any thread, any phase; a short mutex, held across no call. A class keeps its name; it
// is forgotten when the class, or for a proxy its loader, is unloaded. Knows no JVM.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/instrument/names/lambda_numbers.h"
#include "agent/vm/names/hidden_class_names.h"
#include "agent/vm/names/unload_tag.h"
#include "writer/names/stable_names.h"

namespace iprof::vm {

class HiddenNames final : public HiddenClassNames {
 public:
  // `rule` is that of the image, `unboxing` the running JVM's.
  HiddenNames(NamingRule rule, instrument::Unboxing unboxing)
      : rule_(rule), lambda_numbers_(rule, unboxing) {}
  HiddenNames(const HiddenNames&) = delete;
  HiddenNames& operator=(const HiddenNames&) = delete;

  NamingRule rule() const { return rule_; }

  // Which number a lambda has that shares its name with others of its class.
  instrument::LambdaNumbers& lambda_numbers() { return lambda_numbers_; }
  const instrument::LambdaNumbers& lambda_numbers() const { return lambda_numbers_; }

  // All names of classes are internal: "a/B$$Lambda.0x01", as in the signature that JVMTI gives.
  void Add(std::string_view hotspot_name, std::string_view stable_name,
           UnloadTag tag = kNeverUnloaded);
  // A new class with this HotSpot name has no stable name: an unloaded one may have had it.
  void Remove(std::string_view hotspot_name);
  // Also chooses the number behind the base name; the same for the same text. Gives the name. The JVM
  // numbers the packages of proxies anew for each loader ("jdk/proxy7"): all proxies of one text have
  // the package of the first, so that a proxy that is made again and again is one class.
  std::string AddProxy(std::string_view hotspot_name, const std::string& base,
                       std::string_view text, UnloadTag loader = kNeverUnloaded);
  // Forgets what was added with this tag.
  void Drop(UnloadTag tag);

  // While a hidden class is being defined, events may already show it, but HotSpot's name for it is
  // not known yet. For this thread, until the object dies, a class with this name and HotSpot's
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

  // The stable name, or the name itself where it has none; both internal.
  std::string InternalName(std::string_view hotspot_name) const;

  // In Class.getName()'s form, as samples have it.
  std::optional<std::string> StableName(BinaryName hotspot_name) const override;
  std::optional<std::string> StableDescriptor(Descriptor descriptor) const override;
  // From JVMTI's signature to the name that a profile gives any class, in UTF-8; nothing where an
  // image would have no such class.
  std::optional<std::string> ProfileName(Descriptor signature) const;

  size_t size() const;   // classes that have a name now
  size_t bytes() const;  // of memory, about; without lambda_numbers()

 private:
  struct Name {
    std::string stable;
    UnloadTag tag;
  };
  // Which texts the numbers behind a proxy's base name stand for, and how many classes each has.
  struct ProxyText {
    uint64_t hash;
    uint32_t classes;
  };

  // The mutex is held.
  void Put(std::string_view hotspot_name, std::string_view stable_name, UnloadTag tag);
  void ReleaseProxy(const std::string& stable_name);
  // The base name itself, or that of the first proxy with this text where packages are numbered.
  const std::string& FirstBase(const std::string& base, uint64_t text_hash);

  std::optional<std::string> Find(std::string_view hotspot_name) const;

  const NamingRule rule_;
  instrument::LambdaNumbers lambda_numbers_;
  mutable std::mutex mutex_;
  std::unordered_map<std::string, Name> names_;                      // by HotSpot's
  std::unordered_map<UnloadTag, std::vector<std::string>> by_tag_;   // HotSpot's
  std::unordered_map<std::string, std::vector<ProxyText>> proxies_;  // by base name
  std::unordered_map<uint64_t, std::string> first_bases_;            // by the text's hash
  size_t text_bytes_ = 0;                                            // of all of the above
};

}  // namespace iprof::vm
