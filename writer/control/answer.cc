#include "writer/control/answer.h"

#include <algorithm>
#include <array>

#include "writer/profile/io/byte_stream.h"
#include "writer/profile/io/json_object.h"
#include "writer/profile/io/writer.h"

namespace iprof::control {
namespace {

constexpr std::array<std::string_view, 4> kOutcomes = {"done", "refused", "failed", "taken"};
constexpr std::array<std::string_view, 3> kEnds = {"none", "overtook", "besides"};

bool ReadText(JsonScanner& json, std::string* text) {
  std::string_view value;
  if (json.Peek() != '"' || !json.ReadString(&value)) return false;
  *text = value;
  return true;
}

// One of the words; its place is the value.
template <typename Enum, size_t kCount>
bool ReadWord(JsonScanner& json, const std::array<std::string_view, kCount>& words, Enum* value) {
  std::string word;
  if (!ReadText(json, &word)) return false;
  const auto found = std::find(words.begin(), words.end(), word);
  if (found == words.end()) return false;
  *value = static_cast<Enum>(found - words.begin());
  return true;
}

Status Bad(std::string message) { return Status(Code::kBadInput, std::move(message)); }

}  // namespace

std::string_view OutcomeName(Outcome outcome) { return kOutcomes[static_cast<size_t>(outcome)]; }

std::string FormatAnswer(const Answer& answer) {
  std::string json = "{\"command\":";
  AppendJsonString(answer.command, &json);
  json += ",\"outcome\":";
  AppendJsonString(OutcomeName(answer.outcome), &json);
  json += ",\"message\":";
  AppendJsonString(answer.message, &json);
  if (answer.end != ProgramEnd::kNone) {
    json += ",\"end\":";
    AppendJsonString(kEnds[static_cast<size_t>(answer.end)], &json);
  }
  if (answer.status) {
    json += ",\"status\":";
    AppendJson(*answer.status, &json);
  }
  return json + "}\n";
}

Result<Answer> ParseAnswer(std::string_view json) {
  StringSource source(json);
  const Place place{.section = "answer"};
  JsonScanner scanner(source, "the agent's answer", place, 0);
  Answer answer;
  bool has_outcome = false;
  const bool well = ReadObject(scanner, [&](const std::string& key) {
    if (key == "command") return ReadText(scanner, &answer.command);
    if (key == "outcome") return has_outcome = ReadWord(scanner, kOutcomes, &answer.outcome);
    if (key == "message") return ReadText(scanner, &answer.message);
    if (key == "end") return ReadWord(scanner, kEnds, &answer.end);
    if (key == "status") return ReadJson(scanner, &answer.status.emplace());
    return scanner.SkipValue();
  });
  if (!well || !scanner.ExpectEnd()) return Bad("the agent's answer is damaged");
  if (!has_outcome) return Bad("the agent's answer lacks its outcome");
  return answer;
}

}  // namespace iprof::control
