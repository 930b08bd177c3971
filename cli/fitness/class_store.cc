#include "cli/fitness/class_store.h"

#include <algorithm>
#include <set>
#include <vector>

namespace iprof::fitness {
namespace {

constexpr std::string_view kObject = "java.lang.Object";
constexpr std::string_view kOfArrays[] = {kObject, "java.lang.Cloneable", "java.io.Serializable"};

// Whether a class belongs to a JDK, judged by its name.
bool LooksLikeJdk(std::string_view name) {
  constexpr std::string_view kPackages[] = {
      "java.",        "javax.",    "jdk.",         "sun.",           "com.sun.",
      "org.xml.sax.", "netscape.", "org.w3c.dom.", "org.ietf.jgss.", "org.jcp.xml."};
  return std::any_of(std::begin(kPackages), std::end(kPackages),
                     [&](std::string_view package) { return name.starts_with(package); });
}

}  // namespace

StoredClass& ClassStore::Find(std::string_view name) {
  const auto [at, is_new] = stored_.try_emplace(std::string(name));
  StoredClass& stored = at->second;
  if (!is_new) return stored;
  auto found = classes_.Find(name);
  if (found.ok() && *found) {
    auto loaded = LoadedClass::Load(std::move((*found)->bytes));
    if (loaded.ok()) {
      stored.state = ClassState::kFound;
      stored.loaded = std::move(*loaded);
    } else {
      stored.state = ClassState::kUnreadable;
      stored.problem = std::string((*found)->place) + ": " + loaded.status().message();
    }
  } else if (!found.ok()) {
    stored.state = ClassState::kUnreadable;
    stored.problem = found.status().message();
  } else {
    const bool is_asked = LooksLikeJdk(name) ? classes_.has_jdk() : has_application_;
    stored.state = is_asked ? ClassState::kMissing : ClassState::kNotAsked;
  }
  return stored;
}

Subtype ClassStore::IsSubtype(const std::string& name, const std::string& of) {
  if (name == of || of == kObject) return Subtype::kYes;
  if (name.starts_with('[')) {
    if (of.starts_with('[')) return Subtype::kUnknown;
    const bool is_of_arrays =
        std::find(std::begin(kOfArrays), std::end(kOfArrays), of) != std::end(kOfArrays);
    return is_of_arrays ? Subtype::kYes : Subtype::kNo;
  }
  const auto [at, is_new] = subtypes_.try_emplace({name, of}, Subtype::kUnknown);
  if (is_new) at->second = WalkSupertypes(name, of);
  return at->second;
}

Subtype ClassStore::WalkSupertypes(const std::string& name, const std::string& of) {
  std::vector<std::string> waiting{name};
  std::set<std::string> seen;  // class files may form circles
  bool is_complete = true;
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    if (next.empty() || !seen.insert(next).second) continue;
    if (next == of) return Subtype::kYes;
    const StoredClass& stored = Find(next);
    if (stored.state != ClassState::kFound) {
      is_complete = false;
      continue;
    }
    waiting.push_back(stored.loaded->super_name());
    for (std::string& each : stored.loaded->interface_names()) waiting.push_back(std::move(each));
  }
  return is_complete ? Subtype::kNo : Subtype::kUnknown;
}

}  // namespace iprof::fitness
