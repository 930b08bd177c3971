#include "agent/harvest/lambda_links.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace iprof::hotspot {
namespace {

constexpr uint8_t kTagInteger = 3;
constexpr uint8_t kTagNameAndType = 12;
constexpr uint8_t kTagMethodHandle = 15;
constexpr uint8_t kTagMethodType = 16;
constexpr uint8_t kTagInvokeDynamic = 18;
constexpr uint16_t kInvokeStatic = 6;  // of the kinds of handles
constexpr uint32_t kMostBootstrapWords = 1 << 20;
constexpr int kDeepest = 256;  // of superclasses
// Memory that changes, or a core that someone made, may name any number.
constexpr size_t kMostEntriesOfPool = 65'535;
constexpr size_t kMostSites = size_t{1} << 18;
constexpr size_t kMostTextBytes = size_t{1} << 26;
constexpr std::string_view kMetafactory = "java/lang/invoke/LambdaMetafactory";
constexpr std::string_view kLambda = "$$Lambda";
constexpr std::string_view kDeserializer = "$deserializeLambda$";
constexpr std::string_view kBody = "lambda$";
constexpr uint16_t kBodyFlags = 0x1002;  // private, synthetic: names may be changed by obfuscators
constexpr std::string_view kInitializer = "<clinit>";

uint16_t High(uint64_t slot) { return static_cast<uint16_t>(slot >> 16); }
uint16_t Low(uint64_t slot) { return static_cast<uint16_t>(slot); }

// The symbols of the name and the descriptor of a handle's method; 0 if it has none. Equal texts have one symbol.
std::pair<Address, Address> NameAndType(const Pool& pool, uint16_t handle) {
  if (pool.TagOf(handle) != kTagMethodHandle) return {};
  const uint16_t member = High(pool.slots[handle]);
  if (member >= pool.slots.size()) return {};
  const uint16_t both = High(pool.slots[member]);
  if (pool.TagOf(both) != kTagNameAndType) return {};
  const uint64_t indices = pool.slots[both];
  if (std::max(Low(indices), High(indices)) >= pool.slots.size()) return {};
  return {pool.slots[Low(indices)], pool.slots[High(indices)]};
}

// What comparing it costs.
size_t SizeOf(const classfile::LambdaShape& shape) {
  size_t size = shape.factory.size() + shape.erased.size() + shape.known.size() +
                shape.owner.size() + shape.name.size() + shape.descriptor.size();
  for (const std::string_view marker : shape.markers) size += marker.size();
  return size;
}

// A lambda calls a protected method of another package through a handle.
bool CallsHandle(const LambdaFacts& facts) {
  return std::any_of(facts.calls.begin(), facts.calls.end(), [](const LambdaFacts::Call& call) {
    return call.owner == "java/lang/invoke/MethodHandle" && call.name == "invokeExact";
  });
}

}  // namespace

std::optional<LambdaLink> LambdaLinks::OnlyLinkOf(uint32_t lambda, const LambdaFacts& facts) {
  const Host* const host = HostOf(lambda, Which::kAll);
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

bool LambdaLinks::MayHaveTwin(uint32_t lambda, const LambdaFacts& facts) {
  const Host* const host = HostOf(lambda, Which::kRepeated);
  if (host == nullptr) return false;
  if (host->is_cut) return true;
  if (CallsHandle(facts)) {
    return std::any_of(host->sites.begin(), host->sites.end(),
                       [&](const Site& site) { return site.has_twin && IsSameKind(site, facts); });
  }
  for (const bool with_owner : {true, false}) {
    bool is_found = false;
    for (const Site& site : host->sites) {
      if (!Makes(site, facts, with_owner, listed_[lambda].loader)) continue;
      if (site.has_twin) return true;
      is_found = true;
    }
    if (is_found) return false;
  }
  return false;
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
  return facts.calls.size() == site.calls && IsSameKind(site, facts) &&
         std::any_of(facts.calls.begin(), facts.calls.end(), is_target);
}

bool LambdaLinks::IsSameKind(const Site& site, const LambdaFacts& facts) const {
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

const LambdaLinks::Host* LambdaLinks::HostOf(uint32_t lambda, Which which) {
  const ListedClass& klass = listed_[lambda];
  const ListedClass* found = Find(klass.loader, klass.name.substr(0, klass.name.rfind(kLambda)));
  if (found == nullptr) return nullptr;
  const auto [host, is_new] = (which == Which::kAll ? hosts_ : repeated_).TryAdd(found->at);
  if (is_new) *host = ReadHost(*found, which);
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

LambdaLinks::Host LambdaLinks::ReadHost(const ListedClass& klass, Which which) {
  Host host;
  host.pool = metadata_.memory()
                  .Load<Address>(klass.at + metadata_.layout().instance.constants)
                  .value_or(0);
  const auto constants = ReadConstants(host.pool);
  if (!constants) return host;
  std::vector<uint32_t> entries;
  if (which == Which::kRepeated) {
    entries = RepeatedEntries(*constants);
  } else {
    entries.resize(constants->cache.dynamic_entries());
    std::iota(entries.begin(), entries.end(), 0U);
  }
  for (const uint32_t entry : entries) {
    if (sites_kept_ == kMostSites || text_bytes_ > kMostTextBytes) {
      host.sites.clear();  // whether there are two of a kind would not be known
      host.is_cut = true;
      return host;
    }
    const auto instruction = constants->cache.OfDynamic(entry);
    if (!instruction) continue;
    if (auto site = ReadSite(*constants, *instruction)) {
      site->entry = entry;
      host.sites.push_back(std::move(*site));
      ++sites_kept_;
    }
  }
  if (std::any_of(host.sites.begin(), host.sites.end(),
                  [](const Site& site) { return site.is_serializable; })) {
    LeaveOutDeserializer(klass, *constants, host);
  }
  std::unordered_map<std::string, size_t> times;
  for (const Site& site : host.sites) ++times[site.text];
  const bool all_differ = times.size() == host.sites.size();
  for (Site& site : host.sites) site.has_twin = times[std::exchange(site.text, {})] > 1;
  if (which == Which::kRepeated && all_differ) host.sites = {};
  return host;
}

void LambdaLinks::LeaveOutDeserializer(const ListedClass& klass, const Constants& constants,
                                       Host& host) {
  const auto methods = metadata_.MethodsOf(klass);
  if (!methods) return;
  std::optional<std::vector<uint32_t>> unused;
  std::unordered_set<uint32_t> behind;
  for (const ListedMethod& method : *methods) {
    const bool is_deserializer = method.name == kDeserializer;
    const bool may_be_behind =
        !is_deserializer && ((method.access & kBodyFlags) == kBodyFlags ||
                             method.name.starts_with(kBody) || method.name == kInitializer);
    if (!is_deserializer && !may_be_behind) continue;
    const auto entries = EntriesOf(klass, method, host, constants);
    if (!entries) return;
    if (may_be_behind) {
      behind.insert(entries->begin(), entries->end());
    } else if (method.invocations == 0 && method.data == 0) {
      unused = *entries;
    }
  }
  if (!unused) return;
  std::unordered_set<std::string> made_behind;
  for (const Site& site : host.sites) {
    if (behind.contains(site.entry)) made_behind.insert(site.text);
  }
  std::sort(unused->begin(), unused->end());
  std::erase_if(host.sites, [&](const Site& site) {
    return std::binary_search(unused->begin(), unused->end(), site.entry) &&
           !made_behind.contains(site.text);
  });
}

std::optional<std::vector<uint32_t>> LambdaLinks::EntriesOf(const ListedClass& klass,
                                                            const ListedMethod& method,
                                                            const Host& host,
                                                            const Constants& constants) const {
  if (method.pool != host.pool) return std::nullopt;
  OriginalCode code;
  if (!ReadOriginalCode(metadata_, method, constants.pool, &constants.cache,
                        ReadBreakpoints(metadata_, klass.at, method), &code))
    return std::nullopt;
  const Address at = method.code + metadata_.layout().code.size;
  std::vector<uint32_t> entries;
  for (const CodeInstruction& insn : code.instructions) {
    if (insn.op != classfile::Op::invokedynamic) continue;
    const auto operand = metadata_.memory().Load<uint32_t>(at + insn.bci + 1);
    if (!operand) return std::nullopt;
    entries.push_back(EntryOfDynamic(*operand));
  }
  return entries;
}

std::optional<LambdaLinks::Constants> LambdaLinks::ReadConstants(Address at) {
  const MetadataLayout& layout = metadata_.layout();
  if (at == 0 || !layout.bootstraps) return std::nullopt;
  auto pool = metadata_.ReadPool(at);
  if (!pool || pool->cache == 0) return std::nullopt;
  const Address operands = metadata_.memory().Load<Address>(at + *layout.bootstraps).value_or(0);
  auto bootstraps =
      metadata_.Array<uint16_t>(operands, layout.array.shorts_data, kMostBootstrapWords);
  if (!bootstraps) return std::nullopt;
  PoolCache cache(metadata_, *pool);
  if (cache.dynamic_entries() > kMostEntriesOfPool) return std::nullopt;
  return Constants{std::move(*pool), cache, std::move(*bootstraps)};
}

std::vector<uint32_t> LambdaLinks::RepeatedEntries(const Constants& constants) {
  constexpr size_t kTarget = 3;
  using Named = std::pair<std::pair<Address, Address>, uint32_t>;
  std::vector<Named> named;
  for (uint32_t entry = 0; entry < constants.cache.dynamic_entries(); ++entry) {
    const auto instruction = constants.cache.OfDynamic(entry);
    const auto bootstrap = instruction ? BootstrapOf(constants, *instruction) : std::nullopt;
    if (!bootstrap) continue;
    const auto method = NameAndType(constants.pool, (*bootstrap)[kTarget]);
    if (method.first != 0) named.emplace_back(method, entry);
  }
  std::sort(named.begin(), named.end());
  std::vector<uint32_t> repeated;
  for (size_t i = 0; i < named.size(); ++i) {
    const bool is_again = i > 0 && named[i - 1].first == named[i].first;
    const bool is_followed = i + 1 < named.size() && named[i + 1].first == named[i].first;
    if (is_again || is_followed) repeated.push_back(named[i].second);
  }
  return repeated;
}

// The bootstrap methods are one array. It begins with the position of each, as two numbers of 16
// bits. There are the method's handle, the number of its arguments, and these.
std::optional<std::span<const uint16_t>> LambdaLinks::BootstrapOf(const Constants& constants,
                                                                  uint16_t constant) {
  constexpr size_t kFewestArguments = 3;
  const std::span<const uint16_t> all = constants.bootstraps;
  if (constants.pool.TagOf(constant) != kTagInvokeDynamic) return std::nullopt;
  const size_t number = Low(constants.pool.slots[constant]);
  if (2 * number + 1 >= all.size()) return std::nullopt;
  const size_t at = size_t{all[2 * number]} | size_t{all[2 * number + 1]} << 16;
  if (at + 1 >= all.size()) return std::nullopt;
  const size_t arguments = all[at + 1];
  if (arguments < kFewestArguments || arguments > all.size() - at - 2) return std::nullopt;
  return all.subspan(at, 2 + arguments);
}

std::optional<LambdaLinks::Site> LambdaLinks::ReadSite(const Constants& constants,
                                                       uint16_t constant) {
  const Pool& pool = constants.pool;
  const auto bootstrap = BootstrapOf(constants, constant);
  if (!bootstrap) return std::nullopt;
  const std::span<const uint16_t> arguments = bootstrap->subspan(2);
  const auto method = [&](uint16_t handle) -> std::optional<PoolMember> {
    if (pool.TagOf(handle) != kTagMethodHandle) return std::nullopt;
    return metadata_.Member(pool, High(pool.slots[handle]));
  };
  const auto type = [&](uint16_t index) -> std::string_view {
    if (pool.TagOf(index) != kTagMethodType) return {};
    return metadata_.Utf8(pool, Low(pool.slots[index])).value_or(std::string_view());
  };
  const auto integer = [&](uint16_t index) {
    return pool.TagOf(index) == kTagInteger ? static_cast<int32_t>(pool.slots[index]) : 0;
  };
  const auto metafactory = method((*bootstrap)[0]);
  if (!metafactory || metafactory->owner != kMetafactory) return std::nullopt;
  const auto target = method(arguments[1]);
  const auto factory = metadata_.Member(pool, constant);
  if (!target || !factory) return std::nullopt;
  classfile::LambdaShape shape{.factory = factory->descriptor,
                               .erased = type(arguments[0]),
                               .known = type(arguments[2]),
                               .kind = static_cast<uint8_t>(pool.slots[arguments[1]]),
                               .owner = target->owner,
                               .name = target->name,
                               .descriptor = target->descriptor,
                               .markers = {}};
  if (arguments.size() > 3) shape.flags = integer(arguments[3]);
  if ((shape.flags & classfile::kLambdaHasMarkers) != 0 && arguments.size() > 4) {
    const auto markers = static_cast<size_t>(std::max(integer(arguments[4]), 0));
    for (const uint16_t marker : arguments.subspan(5, std::min(markers, arguments.size() - 5)))
      shape.markers.push_back(metadata_.ClassName(pool, marker).value_or(std::string_view()));
  }
  text_bytes_ += SizeOf(shape);
  auto made = classfile::TextOf(
      shape, {.captured = rule_ != NamingRule::k17, .interfaces = rule_ == NamingRule::k25},
      unboxing_);
  if (!made) return std::nullopt;
  return Site{.entry = 0,
              .target = *target,
              .descriptor = factory->descriptor,
              .is_static = shape.kind == kInvokeStatic,
              .has_twin = false,
              .is_serializable = (shape.flags & classfile::kLambdaIsSerializable) != 0,
              .text = std::move(made->text),
              .calls = made->calls};
}

}  // namespace iprof::hotspot
