#include "writer/control/answer.h"

#include <algorithm>
#include <array>

#include "writer/io/byte_stream.h"
#include "writer/io/json_object.h"
#include "writer/io/writer.h"

namespace iprof::control {
namespace {

constexpr std::string_view kKey = "iprofagent";
constexpr int64_t kVersion = 1;
constexpr std::array<std::string_view, 4> kOutcomes = {"done", "refused", "failed", "taken"};

bool ReadText(JsonScanner& json, std::string* text) {
  std::string_view value;
  if (json.Peek() != '"' || !json.ReadString(&value)) return false;
  *text = value;
  return true;
}

bool ReadOutcome(JsonScanner& json, Outcome* outcome) {
  std::string name;
  if (!ReadText(json, &name)) return false;
  const auto found = std::find(kOutcomes.begin(), kOutcomes.end(), name);
  if (found == kOutcomes.end()) return false;
  *outcome = static_cast<Outcome>(found - kOutcomes.begin());
  return true;
}

bool ReadVersion(JsonScanner& json, int64_t* version) {
  const char first = json.Peek();
  return first >= '0' && first <= '9' && json.ReadInteger(version) == JsonScanner::Number::kInteger;
}

Status Bad(std::string message) { return Status(Code::kBadInput, std::move(message)); }

}  // namespace

std::string_view OutcomeName(Outcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

std::string FormatAnswer(const Answer& answer) {
  std::string json = "{\"iprofagent\":1,\"command\":";
  AppendJsonString(answer.command, &json);
  json += ",\"outcome\":";
  AppendJsonString(OutcomeName(answer.outcome), &json);
  json += ",\"message\":";
  AppendJsonString(answer.message, &json);
  if (answer.status) {
    json += ",\"status\":";
    AppendJson(*answer.status, &json);
  }
  return json + "}\n";
}

Result<Answer> ParseAnswer(std::string_view json) {
  if (json.size() > kLongestAnswer) return Bad("the agent's answer is too long");
  StringSource source(json);
  const Place place{.section = kKey};
  JsonScanner scanner(source, "the agent's answer", place, 0);
  Answer answer;
  int64_t version = 0;
  bool has_outcome = false;
  const bool well = ReadObject(scanner, [&](const std::string& key) {
    if (key == kKey) return ReadVersion(scanner, &version);
    if (key == "command") return ReadText(scanner, &answer.command);
    if (key == "outcome") return has_outcome = ReadOutcome(scanner, &answer.outcome);
    if (key == "message") return ReadText(scanner, &answer.message);
    if (key == "status") return ReadJson(scanner, &answer.status.emplace());
    return scanner.SkipValue();
  });
  // A later version may have other members, so it is told first.
  if (version > kVersion) {
    return Status(Code::kUnsupported,
                  "the agent's answer has version " + std::to_string(version) +
                      ", which this tool does not know: use the tool of the agent's release");
  }
  if (!well || !scanner.ExpectEnd()) return Bad("the agent's answer is damaged");
  if (version != kVersion || !has_outcome || answer.command.empty()) {
    return Bad("the agent's answer lacks its version, command or outcome");
  }
  return answer;
}

}  // namespace iprof::control
