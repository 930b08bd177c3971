#include "writer/profile/io/agent_section.h"

#include <algorithm>
#include <utility>

#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

struct OlderKey {
  std::string_view key;
  std::string_view part;
};
constexpr OlderKey kOlderKeys[] = {
    {"iprofImage", kImagePart}, {"iprofLines", kLinesPart}, {"iprofSampling", kSamplingPart}};

constexpr std::string_view kVersionMember = "version";

std::optional<std::string_view> PartOfOlderKey(std::string_view key) {
  for (const OlderKey& older : kOlderKeys) {
    if (older.key == key) return older.part;
  }
  return std::nullopt;
}

// Whether this is an object that is not nested too deeply, once it is inside the section.
bool FitsAsPart(std::string_view json) {
  if (!json.starts_with('{')) return false;
  const std::string nested = '[' + std::string(json) + ']';
  StringSource source(nested);
  const Place place{.section = kAgentKey};
  JsonScanner scanner(source, kAgentKey, place, 0);
  return scanner.SkipValue() && scanner.ExpectEnd();
}

// The content of a section, or what is wrong with it.
struct Parsed {
  int64_t version = 0;
  AgentSection::Parts parts;
  AgentSection::Fault fault;
};

// Failures that have no specific fault leave the default fault.
bool ParseSection(std::string_view json, Parsed* parsed) {
  const std::string expected_version = "a positive integer";
  parsed->fault = {{}, "no JSON object with each member once", "an object with a version"};
  const bool read = ParseObject(json, kAgentKey, [&](JsonScanner& in, const std::string& name) {
    if (name == kVersionMember) {
      const char first = in.Peek();
      parsed->fault = {std::string(kVersionMember), in.Preview(), expected_version};
      return parsed->version == 0 && first >= '0' && first <= '9' &&
             in.ReadWhole(&parsed->version) && parsed->version > 0;
    }
    std::string value;
    if (!in.SkipValue(&value)) return false;
    parsed->fault = {name, "the member a second time", "each member once"};
    return parsed->parts.emplace(name, std::move(value)).second;
  });
  if (!read) return false;
  parsed->fault = {std::string(kVersionMember), "no version", expected_version};
  if (parsed->version == 0) return false;
  for (const auto& [name, value] : parsed->parts) {
    parsed->fault = {name, value.substr(0, 24), "an object"};
    if (parsed->version == kAgentKeyVersion && !value.starts_with('{')) return false;
  }
  return true;
}

AgentSection WithoutOlderKeys(const Profile& profile) {
  AgentSection section;
  for (const ExtraKey& extra : profile.extras()) {
    if (extra.key == kAgentKey) section.Add(extra.key, extra.json);
  }
  return section;
}

}  // namespace

AgentSection AgentSection::Of(const Profile& profile) {
  AgentSection section;
  for (const ExtraKey& extra : profile.extras()) section.Add(extra.key, extra.json);
  return section;
}

bool AgentSection::Add(std::string_view key, std::string_view json) {
  if (key == kAgentKey) {
    AddSection(json);
    return true;
  }
  const std::optional<std::string_view> part = PartOfOlderKey(key);
  if (!part || !FitsAsPart(json)) return false;
  parts_.try_emplace(std::string(*part), json);
  return true;
}

void AgentSection::AddSection(std::string_view json) {
  Parsed parsed;
  if (!ParseSection(json, &parsed)) {
    form_ = Form::kMalformed;
    fault_ = std::move(parsed.fault);
    unread_ = json;
    return;
  }
  version_ = parsed.version;
  if (version_ != kAgentKeyVersion) {
    form_ = Form::kNewer;
    unread_ = json;
    return;
  }
  form_ = Form::kReadable;
  for (auto& [name, value] : parsed.parts) parts_.insert_or_assign(name, std::move(value));
}

std::optional<std::string_view> AgentSection::Part(std::string_view name) const& {
  const auto found = parts_.find(name);
  if (found == parts_.end()) return std::nullopt;
  return found->second;
}

bool AgentSection::CanBePart(std::string_view name, std::string_view json) {
  const bool is_plain = std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  });
  return is_plain && !name.empty() && name != kVersionMember && FitsAsPart(json);
}

void AgentSection::SetPart(std::string_view name, std::string_view json) {
  parts_.insert_or_assign(std::string(name), json);
}

void AgentSection::RemovePart(std::string_view name) {
  if (const auto found = parts_.find(name); found != parts_.end()) parts_.erase(found);
}

std::string AgentSection::ToJson() const {
  JsonBuilder json;
  json.Open('{').Field(kVersionMember, kAgentKeyVersion);
  for (const auto& [name, value] : parts_) json.Key(name).Raw(value);
  return json.Close('}').Take();
}

std::optional<std::string> AgentPart(const Profile& profile, std::string_view name) {
  const AgentSection section = AgentSection::Of(profile);
  const std::optional<std::string_view> part = section.Part(name);
  return part ? std::optional<std::string>(*part) : std::nullopt;
}

void SetAgentPart(Profile& profile, std::string_view name, std::string_view json) {
  AgentSection section = WithoutOlderKeys(profile);
  if (!section.can_hold_parts()) return;
  section.SetPart(name, json);
  profile.SetExtra(kAgentKey, section.ToJson());
}

void RemoveAgentPart(Profile& profile, std::string_view name) {
  AgentSection section = WithoutOlderKeys(profile);
  if (!section.can_hold_parts() || !section.Part(name)) return;
  section.RemovePart(name);
  profile.SetExtra(kAgentKey, section.ToJson());
}

}  // namespace iprof
