#include "agent/hotspot/harvest/lambda_links.h"

#include <algorithm>

#include "agent/hotspot/original_code.h"

namespace iprof::hotspot {
namespace {

constexpr uint8_t kTagMethodHandle = 15;
constexpr uint8_t kTagInvokeDynamic = 18;
constexpr uint16_t kInvokeStatic = 6;  // of the kinds of handles
constexpr uint32_t kMostBootstrapWords = 1 << 20;
constexpr int kDeepest = 256;  // of superclasses
// Memory that changes, or a core that someone made, may name any number.
constexpr size_t kMostEntriesOfPool = 65'535;
constexpr size_t kMostSites = size_t{1} << 18;
constexpr std::string_view kMetafactory = "java/lang/invoke/LambdaMetafactory";
constexpr std::string_view kLambda = "$$Lambda";

}  // namespace

std::optional<LambdaLink> LambdaLinks::OnlyLinkOf(uint32_t lambda, const LambdaFacts& facts) {
  const Host* const host = HostOf(lambda);
  if (host == nullptr) return std::nullopt;
  // A lambda calls a static method in the class that declares it, while the instruction may name a subclass. It calls others
  // in the class that the instruction names, unless they are protected.
  for (const bool with_owner : {true, false}) {
    std::optional<LambdaLink> found;
    for (const Site& site : host->sites) {
      if (!Makes(site, facts, with_owner, listed_[lambda].loader)) continue;
      if (found) return std::nullopt;
      found = LambdaLink{host->pool, site.entry};
    }
    if (found) return found;
  }
  return std::nullopt;
}

bool LambdaLinks::Makes(const Site& site, const LambdaFacts& facts, bool with_owner,
                        Address loader) {
  const auto is_owner = [&](std::string_view owner) {
    return owner == site.target.owner ||
           (site.is_static && MayInherit(site.target.owner, owner, loader));
  };
  const auto is_target = [&](const LambdaFacts::Call& call) {
    return call.name == site.target.name && call.descriptor == site.target.descriptor &&
           (!with_owner || is_owner(call.owner));
  };
  if (std::none_of(facts.calls.begin(), facts.calls.end(), is_target)) return false;
  if (rule_ == NamingRule::k17) return true;
  const size_t end = site.descriptor.rfind(')');
  const std::string_view captured = site.descriptor.substr(0, end);
  const auto takes_them = [&](std::string_view constructor) {
    return constructor.substr(0, constructor.rfind(')')) == captured;
  };
  if (std::none_of(facts.constructors.begin(), facts.constructors.end(), takes_them)) return false;
  if (rule_ == NamingRule::k23) return true;
  const std::string_view type = site.descriptor.substr(end + 1);
  return std::any_of(facts.interfaces.begin(), facts.interfaces.end(), [&](std::string_view each) {
    return type.size() == each.size() + 2 && type.substr(1, each.size()) == each;
  });
}

const LambdaLinks::Host* LambdaLinks::HostOf(uint32_t lambda) {
  const ListedClass& klass = listed_[lambda];
  const ListedClass* found = Find(klass.loader, klass.name.substr(0, klass.name.rfind(kLambda)));
  if (found == nullptr) return nullptr;
  const auto [host, is_new] = hosts_.TryAdd(found->at);
  if (is_new) *host = ReadHost(*found);
  return host;
}

const ListedClass* LambdaLinks::Find(Address loader, std::string_view name) {
  if (class_of_.empty()) {
    // The first of a name: previous versions of a class are listed after it.
    for (uint32_t c = 0; c < listed_.size(); ++c) {
      if (listed_[c].is_instance) class_of_[listed_[c].loader].try_emplace(listed_[c].name, c);
    }
  }
  const auto of_loader = class_of_.find(loader);
  if (of_loader == class_of_.end()) return nullptr;
  const auto found = of_loader->second.find(name);
  return found == of_loader->second.end() ? nullptr : &listed_[found->second];
}

bool LambdaLinks::MayInherit(std::string_view named, std::string_view declaring, Address loader) {
  const ListedClass* const klass = Find(loader, named);
  if (klass == nullptr) return true;  // of another loader
  const auto& layout = metadata_.layout().klass;
  const BlockCache& memory = metadata_.memory();
  Address at = klass->super;
  for (int depth = 0; at != 0; ++depth) {
    const auto name = metadata_.Symbol(memory.Load<Address>(at + layout.name).value_or(0));
    if (!name || *name == declaring || depth == kDeepest) return true;
    at = memory.Load<Address>(at + layout.super).value_or(0);
  }
  return false;
}

LambdaLinks::Host LambdaLinks::ReadHost(const ListedClass& klass) {
  const MetadataLayout& layout = metadata_.layout();
  const BlockCache& memory = metadata_.memory();
  Host host;
  host.pool = memory.Load<Address>(klass.at + layout.instance.constants).value_or(0);
  if (host.pool == 0 || !layout.bootstraps) return host;
  const auto pool = metadata_.ReadPool(host.pool);
  if (!pool || pool->cache == 0) return host;
  const Address at = memory.Load<Address>(host.pool + *layout.bootstraps).value_or(0);
  const auto bootstraps =
      metadata_.Array<uint16_t>(at, layout.array.shorts_data, kMostBootstrapWords);
  if (!bootstraps) return host;
  const PoolCache cache(metadata_, *pool);
  const std::vector<uint16_t>& constants = cache.dynamic();
  if (constants.size() > kMostEntriesOfPool) return host;
  for (uint32_t entry = 0; entry < constants.size(); ++entry) {
    if (sites_kept_ == kMostSites) {
      host.sites.clear();  // whether there are two of a kind would not be known
      return host;
    }
    if (pool->TagOf(constants[entry]) != kTagInvokeDynamic) continue;
    if (auto site = ReadSite(*pool, *bootstraps, constants[entry])) {
      site->entry = entry;
      host.sites.push_back(*site);
      ++sites_kept_;
    }
  }
  return host;
}

// The bootstrap methods are one array. It begins with the position of each, as two numbers of 16
// bits. There are the method's handle, the number of its arguments, and these.
std::optional<LambdaLinks::Site> LambdaLinks::ReadSite(const Pool& pool,
                                                       std::span<const uint16_t> bootstraps,
                                                       uint16_t constant) {
  constexpr size_t kTarget = 3;  // the second argument
  const size_t number = pool.slots[constant] & 0xffff;
  if (2 * number + 1 >= bootstraps.size()) return std::nullopt;
  const size_t at = size_t{bootstraps[2 * number]} | size_t{bootstraps[2 * number + 1]} << 16;
  if (at + kTarget >= bootstraps.size() || bootstraps[at + 1] < 2) return std::nullopt;
  const auto method = [&](uint16_t handle) -> std::optional<PoolMember> {
    if (pool.TagOf(handle) != kTagMethodHandle) return std::nullopt;
    return metadata_.Member(pool, static_cast<uint16_t>(pool.slots[handle] >> 16));
  };
  const auto bootstrap = method(bootstraps[at]);
  if (!bootstrap || bootstrap->owner != kMetafactory) return std::nullopt;
  const auto target = method(bootstraps[at + kTarget]);
  const auto factory = metadata_.Member(pool, constant);
  if (!target || !factory) return std::nullopt;
  const auto kind = static_cast<uint16_t>(pool.slots[bootstraps[at + kTarget]]);
  return Site{.entry = 0,
              .target = *target,
              .descriptor = factory->descriptor,
              .is_static = kind == kInvokeStatic};
}

}  // namespace iprof::hotspot
