#include "agent/vm/classes/names/hidden_names.h"

#include <algorithm>

#include "writer/base/murmur3.h"
#include "writer/names/type_names.h"

namespace iprof::vm {
namespace {

// Converts an internal name to that of Class.getName(), or back: the dot of a hidden class and the
// slashes are exchanged.
std::string OtherSpelling(std::string_view name) {
  std::string other(name);
  for (char& c : other) {
    if (c == '.') {
      c = '/';
    } else if (c == '/') {
      c = '.';
    }
  }
  return other;
}

// The number of proxies whose first package is remembered: more than any program creates on
// purpose.
constexpr size_t kMostNumberedPackages = 10'000;

thread_local const HiddenNames::Defining* defining = nullptr;

}  // namespace

HiddenNames::Defining::Defining(std::string_view class_name, std::string_view stable_name)
    : class_name_(class_name), stable_name_(stable_name), outer_(defining) {
  defining = this;
}

HiddenNames::Defining::~Defining() { defining = outer_; }

void HiddenNames::Put(std::string_view hotspot_name, std::string_view stable_name, UnloadTag tag,
                      bool has_probes) {
  const NameId stable = stable_names_.Add(stable_name);
  // HotSpot reuses the address of an unloaded class, so the newest class has the name.
  const Hash128 key = Murmur3(hotspot_name);
  const auto [at, is_new] = names_.try_emplace(key);
  if (!is_new) stable_names_.Release(at->second.stable);
  const bool is_listed = !is_new && at->second.tag == tag;
  at->second = {tag, stable, has_probes};
  if (tag == kNeverUnloaded || is_listed) return;
  by_tag_[tag].push_back(key);
  ++listed_;
}

void HiddenNames::Erase(Names::iterator at) {
  stable_names_.Release(at->second.stable);
  names_.erase(at);
}

void HiddenNames::Add(std::string_view hotspot_name, std::string_view stable_name, UnloadTag tag,
                      bool has_probes) {
  const std::lock_guard lock(mutex_);
  Put(hotspot_name, stable_name, tag, has_probes);
}

bool HiddenNames::HasProbes(std::string_view hotspot_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(Murmur3(hotspot_name));
  return found != names_.end() && found->second.has_probes;
}

std::string HiddenNames::AddProxy(std::string_view hotspot_name, const std::string& base,
                                  std::string_view text, UnloadTag loader) {
  const uint64_t hash = Murmur3(text).low;
  const std::lock_guard lock(mutex_);
  const std::string& first = FirstBase(base, hash);
  std::vector<ProxyText>& texts = proxies_[first];
  auto known =
      std::find_if(texts.begin(), texts.end(), [&](const ProxyText& t) { return t.hash == hash; });
  // A name in a numbered package is never forgotten, because later proxies get it too.
  const bool is_kept = first_bases_.contains(hash);
  if (known == texts.end()) known = texts.insert(texts.end(), {hash, is_kept ? 1U : 0U});
  std::string stable = NumberedProxyName(first, static_cast<uint32_t>(known - texts.begin()));
  const auto before = names_.find(Murmur3(hotspot_name));
  if (before != names_.end() && stable_names_.Text(before->second.stable) == stable) return stable;
  ++known->classes;
  Put(hotspot_name, stable, loader, false);
  return stable;
}

const std::string& HiddenNames::FirstBase(const std::string& base, uint64_t text_hash) {
  const size_t slash = base.rfind('/');
  if (slash == std::string::npos || !IsDynamicProxyPackage(base.substr(0, slash))) return base;
  if (const auto known = first_bases_.find(text_hash); known != first_bases_.end())
    return known->second;
  if (first_bases_.size() == kMostNumberedPackages) return base;
  text_bytes_ += base.size();
  return first_bases_.emplace(text_hash, base).first->second;
}

void HiddenNames::ReleaseProxy(const std::string& stable_name) {
  // "jdk/proxy1/$Proxy.s77" or "jdk/proxy1/$Proxy.s77_2".
  const size_t hash_at = stable_name.rfind('.');
  if (hash_at == std::string::npos) return;
  const size_t number_at = std::min(stable_name.find('_', hash_at), stable_name.size());
  const auto known = proxies_.find(stable_name.substr(0, number_at));
  if (known == proxies_.end()) return;
  std::vector<ProxyText>& texts = known->second;
  for (uint32_t i = 0; i < texts.size(); ++i) {
    if (texts[i].classes > 0 && NumberedProxyName(known->first, i) == stable_name)
      --texts[i].classes;
  }
  const bool unused =
      std::all_of(texts.begin(), texts.end(), [](const ProxyText& t) { return t.classes == 0; });
  if (unused) proxies_.erase(known);
}

void HiddenNames::Drop(UnloadTag tag) {
  const std::lock_guard lock(mutex_);
  const auto listed = by_tag_.find(tag);
  if (listed == by_tag_.end()) return;
  listed_ -= listed->second.size();
  for (const Hash128& hotspot_name : listed->second) {
    const auto found = names_.find(hotspot_name);
    if (found == names_.end() || found->second.tag != tag) continue;  // a newer class has the name
    ReleaseProxy(std::string(stable_names_.Text(found->second.stable)));
    Erase(found);
  }
  by_tag_.erase(listed);
}

std::optional<std::string> HiddenNames::Find(std::string_view hotspot_name) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = names_.find(Murmur3(hotspot_name));
    if (found != names_.end()) return std::string(stable_names_.Text(found->second.stable));
  }
  for (const Defining* each = defining; each != nullptr; each = each->outer_) {
    const size_t length = each->class_name_.size();
    if (hotspot_name.size() > length && hotspot_name.starts_with(each->class_name_) &&
        hotspot_name[length] == '.') {
      return std::string(each->stable_name_);
    }
  }
  return std::nullopt;
}

void HiddenNames::Remove(std::string_view hotspot_name) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(Murmur3(hotspot_name));
  if (found != names_.end()) Erase(found);
}

std::string HiddenNames::InternalName(std::string_view hotspot_name) const {
  return Find(hotspot_name).value_or(std::string(hotspot_name));
}

std::optional<std::string> HiddenNames::StableName(BinaryName hotspot_name) const {
  const auto found = Find(OtherSpelling(hotspot_name.text()));
  if (!found) return std::nullopt;
  return OtherSpelling(*found);
}

std::optional<std::string> HiddenNames::StableDescriptor(Descriptor descriptor) const {
  if (!descriptor.IsClass()) return std::nullopt;
  const auto found = Find(descriptor.ClassName().text());
  if (!found) return std::nullopt;
  return "L" + *found + ";";
}

std::optional<std::string> HiddenNames::ProfileName(Descriptor signature) const {
  const std::string_view text = signature.text();
  const size_t dimensions = std::min(text.find_first_not_of('['), text.size());
  if (dimensions > 0) {
    const auto element = ProfileName(Descriptor(text.substr(dimensions)));
    const auto whole = TypeNameOf(signature);
    if (!element || !whole) return std::nullopt;
    // An array of a renamed class; all others keep the form of Class.getName().
    if (text[dimensions] != 'L') return ToUtf8(*whole);
    return std::string(dimensions, '[') + "L" + *element + ";";
  }
  auto name = TypeNameOf(signature);
  if (!name) return std::nullopt;
  if (auto stable = StableName(BinaryName(*name))) return ToUtf8(*stable);
  if (IsHiddenClass(signature)) return std::nullopt;
  return ToUtf8(*name);
}

size_t HiddenNames::size() const {
  const std::lock_guard lock(mutex_);
  return names_.size();
}

size_t HiddenNames::bytes() const {
  // A node of a hash map with malloc's overhead, and the objects in it.
  constexpr size_t kNode = 32;
  constexpr size_t kText = sizeof(std::string) + 16;
  const std::lock_guard lock(mutex_);
  return text_bytes_ + stable_names_.bytes() + names_.size() * (kNode + sizeof(Names::value_type)) +
         by_tag_.size() * (kNode + sizeof(*by_tag_.begin()) + 16) + listed_ * sizeof(Hash128) +
         proxies_.size() * (kNode + kText + 3 * kText) + first_bases_.size() * (kNode + kText) +
         (names_.bucket_count() + by_tag_.bucket_count() + proxies_.bucket_count() +
          first_bases_.bucket_count()) *
             sizeof(void*);
}

}  // namespace iprof::vm
