#include "writer/profile/io/source_lines.h"

#include <charconv>

#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

std::optional<Bci> BciFrom(std::string_view text) {
  Bci bci = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bci);
  if (error != std::errc() || end != text.data() + text.size() || bci < 0) return std::nullopt;
  return bci;
}

}  // namespace

SourceLines SourceLines::Of(const Profile& profile) {
  SourceLines lines;
  const AgentSection section = AgentSection::Of(profile);
  if (const auto json = section.Part(kLinesPart)) lines.AddJson(*json);
  return lines;
}

void SourceLines::Add(std::string_view method, Bci bci, int64_t line) {
  auto at = methods_.find(method);
  if (at == methods_.end()) at = methods_.emplace(method, std::map<Bci, int64_t>()).first;
  const auto [known, is_new] = at->second.try_emplace(bci, line);
  if (!is_new && line < known->second) known->second = line;
}

void SourceLines::Add(const SourceLines& other) {
  for (const auto& [method, lines] : other.methods_)
    for (const auto& [bci, line] : lines) Add(method, bci, line);
}

bool SourceLines::AddJson(std::string_view json) {
  SourceLines read;
  const bool well = ParseObject(json, kLinesPart, [&](JsonScanner& in, const std::string& method) {
    return ReadObject(in, [&](std::string_view position) {
      const std::optional<Bci> bci = BciFrom(position);
      int64_t line = 0;
      if (!bci || !in.ReadWhole(&line) || line < 0) return false;
      read.Add(method, *bci, line);
      return true;
    });
  });
  if (!well) return false;
  Add(read);
  return true;
}

std::optional<int64_t> SourceLines::LineOf(std::string_view method, Bci bci) const {
  const auto at = methods_.find(method);
  if (at == methods_.end()) return std::nullopt;
  const auto line = at->second.find(bci);
  if (line == at->second.end()) return std::nullopt;
  return line->second;
}

std::string SourceLines::ToJson() const {
  JsonBuilder json;
  json.Open('{');
  for (const auto& [method, lines] : methods_) {
    json.Key(method).Open('{');
    for (const auto& [bci, line] : lines) json.Field(std::to_string(bci), line);
    json.Close('}');
  }
  return json.Close('}').Take();
}

}  // namespace iprof
