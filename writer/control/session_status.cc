#include "writer/control/session_status.h"

#include <algorithm>
#include <limits>
#include <string_view>

#include "writer/profile/io/json_object.h"
#include "writer/profile/io/writer.h"

namespace iprof::control {
namespace {

constexpr uint64_t kMostInJson = std::numeric_limits<int64_t>::max();

void AppendKey(std::string_view key, std::string* out) {
  if (!out->ends_with('{')) *out += ',';
  AppendJsonString(key, out);
  *out += ':';
}

void AppendNumber(uint64_t number, std::string* out) {
  *out += std::to_string(std::min(number, kMostInJson));
}

// Not negative, without a fraction.
bool ReadNumber(JsonScanner& json, uint64_t* number) {
  const char first = json.Peek();
  int64_t value = 0;
  if (first < '0' || first > '9') return false;
  if (json.ReadInteger(&value) != JsonScanner::Number::kInteger) return false;
  *number = static_cast<uint64_t>(value);
  return true;
}

bool ReadText(JsonScanner& json, std::string* text) {
  std::string_view value;
  if (json.Peek() != '"' || !json.ReadString(&value)) return false;
  *text = value;
  return true;
}

// An array; element() reads one value.
template <typename Element>
bool ReadArray(JsonScanner& json, Element element) {
  if (!json.Consume('[')) return false;
  if (json.Consume(']')) return true;
  do {
    if (!element()) return false;
  } while (json.Consume(','));
  return json.Consume(']');
}

// An object with a text and a number, as those of losses and kept probes.
bool ReadPair(JsonScanner& json, std::string_view text_key, std::string* text,
              std::string_view number_key, uint64_t* number) {
  return ReadObject(json, [&](const std::string& key) {
    if (key == text_key) return ReadText(json, text);
    if (key == number_key) return ReadNumber(json, number);
    return json.SkipValue();
  });
}

bool ReadLoss(JsonScanner& json, Loss* loss) {
  return ReadPair(json, "what", &loss->what, "count", &loss->count);
}

bool ReadKept(JsonScanner& json, KeptProbes* kept) {
  return ReadPair(json, "why", &kept->why, "methods", &kept->methods);
}

void AppendPair(std::string_view text_key, std::string_view text, std::string_view number_key,
                uint64_t number, std::string* out) {
  *out += '{';
  AppendKey(text_key, out);
  AppendJsonString(text, out);
  AppendKey(number_key, out);
  AppendNumber(number, out);
  *out += '}';
}

// append() writes one element.
template <typename Elements, typename Append>
void AppendArray(std::string_view key, const Elements& elements, Append append, std::string* out) {
  AppendKey(key, out);
  *out += '[';
  for (const auto& element : elements) {
    if (!out->ends_with('[')) *out += ',';
    append(element);
  }
  *out += ']';
}

bool ReadMember(JsonScanner& json, const std::string& key, SessionStatus* status) {
  if (key == "records") {
    return ReadArray(json, [&] { return ReadText(json, &status->records.emplace_back()); });
  }
  if (key == "losses") {
    return ReadArray(json, [&] { return ReadLoss(json, &status->losses.emplace_back()); });
  }
  if (key == "raw_losses") {
    return ReadArray(json, [&] { return ReadLoss(json, &status->raw_losses.emplace_back()); });
  }
  if (key == "kept") {
    return ReadArray(json, [&] { return ReadKept(json, &status->kept.emplace_back()); });
  }
  bool is_known = false;
  bool is_read = false;
  VisitPlainMembers(
      *status,
      [&](std::string_view name, uint64_t& number) {
        if (name != key) return;
        is_known = true;
        is_read = ReadNumber(json, &number);
      },
      [&](std::string_view name, std::string& text) {
        if (name != key) return;
        is_known = true;
        is_read = ReadText(json, &text);
      });
  return is_known ? is_read : json.SkipValue();
}

}  // namespace

void AppendJson(const SessionStatus& status, std::string* out) {
  *out += '{';
  VisitPlainMembers(
      status,
      [&](std::string_view key, uint64_t number) {
        AppendKey(key, out);
        AppendNumber(number, out);
      },
      [&](std::string_view key, const std::string& text) {
        AppendKey(key, out);
        AppendJsonString(text, out);
      });
  AppendArray(
      "records", status.records, [&](const std::string& record) { AppendJsonString(record, out); },
      out);
  const auto append_loss = [&](const Loss& loss) {
    AppendPair("what", loss.what, "count", loss.count, out);
  };
  AppendArray("losses", status.losses, append_loss, out);
  AppendArray("raw_losses", status.raw_losses, append_loss, out);
  AppendArray(
      "kept", status.kept,
      [&](const KeptProbes& kept) { AppendPair("why", kept.why, "methods", kept.methods, out); },
      out);
  *out += '}';
}

bool ReadJson(JsonScanner& json, SessionStatus* status) {
  return ReadObject(json, [&](const std::string& key) { return ReadMember(json, key, status); });
}

}  // namespace iprof::control
