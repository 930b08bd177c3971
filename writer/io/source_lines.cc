#include "writer/io/source_lines.h"

#include <charconv>

#include "writer/io/agent_section.h"
#include "writer/io/json_object.h"
#include "writer/io/json_scanner.h"
#include "writer/io/writer.h"

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
  StringSource source(json);
  const Place place{.section = kLinesPart};
  JsonScanner scanner(source, kLinesPart, place, 0);
  SourceLines read;
  const bool well = ReadObject(scanner, [&](const std::string& method) {
    return ReadObject(scanner, [&](std::string_view position) {
      const std::optional<Bci> bci = BciFrom(position);
      const char next = scanner.Peek();
      int64_t line = 0;
      if (!bci || next < '0' || next > '9') return false;
      if (scanner.ReadInteger(&line) != JsonScanner::Number::kInteger) return false;
      read.Add(method, *bci, line);
      return true;
    });
  });
  if (!well || !scanner.ExpectEnd()) return false;
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
  std::string json = "{";
  for (const auto& [method, lines] : methods_) {
    if (json.size() > 1) json += ',';
    AppendJsonString(method, &json);
    char separator = '{';
    json += ':';
    for (const auto& [bci, line] : lines) {
      json += separator;
      json += '"' + std::to_string(bci) + "\":" + std::to_string(line);
      separator = ',';
    }
    json += '}';
  }
  return json + '}';
}

}  // namespace iprof
