#include "writer/profile/io/code_part.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "writer/base/code_length.h"
#include "writer/base/murmur3.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/digits.h"
#include "writer/profile/io/hashed_names.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"

namespace iprof {
namespace {

constexpr char kUnknown = '-';
constexpr size_t kDigitsEach = 6;
static_assert(kDigitsEach * kBitsOfDigit == kCodeHashBits);
// The text must stay below the reader's limit for a string.
constexpr size_t kMostMethods = 2'000'000;

// nullopt if a character is no digit.
std::optional<uint64_t> ParseHash(std::string_view text) {
  uint64_t hash = 0;
  for (const char digit : text) {
    const int value = ValueOfDigit(digit);
    if (value < 0) return std::nullopt;
    hash = hash << kBitsOfDigit | static_cast<uint64_t>(value);
  }
  return hash << (64 - kCodeHashBits);
}

// All hashes; 0 where one is not known. nullopt if the text has another shape.
std::optional<std::vector<uint64_t>> ParseHashes(std::string_view text) {
  std::vector<uint64_t> hashes;
  while (!text.empty()) {
    if (text.front() == kUnknown) {
      hashes.push_back(0);
      text.remove_prefix(1);
      continue;
    }
    const auto hash = ParseHash(text.substr(0, kDigitsEach));
    if (text.size() < kDigitsEach || !hash) return std::nullopt;
    hashes.push_back(*hash);
    text.remove_prefix(kDigitsEach);
  }
  return hashes;
}

// The methods in the order of their ids.
std::vector<MethodIndex> RecordedMethods(const Profile& profile) {
  std::vector<bool> is_recorded(profile.method_count());
  for (const Table table :
       {Table::kCalls, Table::kConditionals, Table::kVirtualInvokes, Table::kInstanceOfs}) {
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      const MethodIndex method = profile.InnermostFrame(profile.EntryContext(table, entry)).method;
      if (method != kNoMethod) is_recorded[static_cast<size_t>(method)] = true;
    }
  }
  std::vector<MethodIndex> methods;
  for (const MethodIndex method : MethodsOf(profile)) {
    if (is_recorded[static_cast<size_t>(method)]) methods.push_back(method);
  }
  const auto precedes = [&](MethodIndex a, MethodIndex b) {
    return profile.MethodFileId(a) < profile.MethodFileId(b);
  };
  if (!std::is_sorted(methods.begin(), methods.end(), precedes))
    std::sort(methods.begin(), methods.end(), precedes);
  return methods;
}

uint64_t HashWithName(uint64_t hash, std::string_view name) {
  std::string text(reinterpret_cast<const char*>(&hash), sizeof hash);
  text += name;
  return Murmur3(text).low;
}

// In digits; empty if the names are too long.
std::string HashOfNames(const Profile& profile, const std::vector<MethodIndex>& methods) {
  std::string text;
  uint64_t hash = 0;
  HashedNames names;
  for (const MethodIndex method : methods) {
    text.clear();
    if (!names.Append(profile, method, &text)) return {};
    hash = HashWithName(hash, text);
  }
  std::string digits;
  AppendDigits(hash, kDigitsEach, &digits);
  return digits;
}

// All lengths. nullopt if the text has another shape.
std::optional<std::vector<uint32_t>> ParseLengths(std::string_view text) {
  std::vector<uint32_t> lengths;
  DigitReader reader(text);
  while (!reader.at_end()) {
    const uint64_t length = reader.Small();
    if (!reader.ok() || length > kCodeLengthBits) return std::nullopt;
    lengths.push_back(static_cast<uint32_t>(length));
  }
  return lengths;
}

std::string MarksOf(const std::vector<Sureness>& all) {
  std::string text;
  for (size_t first = 0; first < all.size();) {
    size_t end = first + 1;
    while (end < all.size() && all[end] == all[first]) ++end;
    text += all[first].Mark();
    if (end - first > 1) text += std::to_string(end - first);
    first = end;
  }
  return text;
}

// nullopt if the text has another shape.
std::optional<std::vector<Sureness>> ParseMarks(std::string_view text) {
  constexpr size_t kMostDigits = 7;  // of kMostMethods
  std::vector<Sureness> all;
  while (!text.empty()) {
    const size_t length = text.substr(1).starts_with('+') ? 2 : 1;
    const std::optional<Sureness> sureness = Sureness::OfMark(text.substr(0, length));
    if (!sureness) return std::nullopt;
    text.remove_prefix(length);
    size_t digits = 0;
    size_t count = 0;
    while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
      if (digits == kMostDigits) return std::nullopt;
      count = count * 10 + static_cast<size_t>(text[digits++] - '0');
    }
    if (digits > 0 && count < 2) return std::nullopt;
    text.remove_prefix(digits);
    all.resize(all.size() + std::max<size_t>(count, 1), *sureness);
    if (all.size() > kMostMethods) return std::nullopt;
  }
  return all;
}

// Empty: all are what a reader takes methods without a mark for.
std::string SurenessToWrite(const Profile& profile, const std::vector<MethodIndex>& methods) {
  if (!profile.has_sureness()) return {};
  const Sureness usual = SurenessWithoutMark(profile);
  bool differs = false;
  std::vector<Sureness> all;
  all.reserve(methods.size());
  for (const MethodIndex method : methods) {
    const Sureness sureness = profile.SurenessOf(method);
    all.push_back(sureness.is_present() ? sureness : usual);
    differs = differs || all.back() != usual;
  }
  return differs ? MarksOf(all) : std::string();
}

// All first calls. nullopt if the text has another shape.
std::optional<std::vector<FirstCall>> ParseFirst(std::string_view text) {
  std::vector<FirstCall> all;
  DigitReader reader(text);
  while (!reader.at_end()) {
    const uint64_t runs = reader.Small();
    const uint64_t ranks = runs > 0 ? reader.Small() : 0;
    if (!reader.ok() || runs > INT64_MAX || ranks > INT64_MAX || ranks < runs) return std::nullopt;
    all.push_back({static_cast<int64_t>(ranks), static_cast<int64_t>(runs)});
  }
  return all;
}

// Empty: it is known of no method.
std::string FirstToWrite(const Profile& profile, const std::vector<MethodIndex>& methods) {
  std::string text;
  bool any = false;
  for (const MethodIndex method : methods) {
    const FirstCall first = profile.FirstCallOf(method);
    any = any || first.is_known();
    AppendSmall(static_cast<uint64_t>(first.runs), &text);
    if (first.is_known()) AppendSmall(static_cast<uint64_t>(first.ranks), &text);
  }
  return any ? text : std::string();
}

struct CodeText {
  int64_t bits = 0;
  std::string methods;
  std::vector<uint64_t> hashes;
  std::vector<uint32_t> lengths;   // empty: none
  std::vector<Sureness> sureness;  // empty: none
  std::vector<FirstCall> first;    // empty: none
};

std::optional<CodeText> ParseCode(std::string_view json) {
  CodeText text;
  bool has_hashes = false;
  const bool read = ParseObject(json, kCodePart, [&](JsonScanner& in, const std::string& name) {
    if (name == "methods") return in.ReadText(&text.methods);
    if (name == "bits") return in.ReadWhole(&text.bits);
    std::string digits;
    if (name == "hashes") {
      if (!in.ReadText(&digits)) return false;
      auto hashes = ParseHashes(digits);
      has_hashes = hashes.has_value();
      if (hashes) text.hashes = std::move(*hashes);
      return has_hashes;
    }
    if (name == "sureness") {
      if (!in.ReadText(&digits)) return false;
      auto marks = ParseMarks(digits);
      if (marks) text.sureness = std::move(*marks);
      return marks.has_value();
    }
    if (name == "first") {
      if (!in.ReadText(&digits)) return false;
      auto first = ParseFirst(digits);
      if (first) text.first = std::move(*first);
      return first.has_value();
    }
    if (name != "lengths") return in.SkipValue();
    if (!in.ReadText(&digits)) return false;
    auto lengths = ParseLengths(digits);
    if (lengths) text.lengths = std::move(*lengths);
    return lengths.has_value();
  });
  if (!read || text.bits != kCodeHashBits || text.methods.size() != kDigitsEach || !has_hashes)
    return std::nullopt;
  if (!text.lengths.empty() && text.lengths.size() != text.hashes.size()) return std::nullopt;
  if (!text.sureness.empty() && text.sureness.size() != text.hashes.size()) return std::nullopt;
  if (!text.first.empty() && text.first.size() != text.hashes.size()) return std::nullopt;
  for (size_t m = 0; m < text.lengths.size(); ++m)
    text.hashes[m] = WithCodeLength(text.hashes[m], text.lengths[m]);
  return text;
}

}  // namespace

bool IsCodePart(std::string_view json) { return ParseCode(json).has_value(); }

std::optional<std::vector<uint64_t>> HashesInCodePart(std::string_view json) {
  std::optional<CodeText> text = ParseCode(json);
  if (!text) return std::nullopt;
  return std::move(text->hashes);
}

std::vector<Sureness> SurenessInCodePart(std::string_view json) {
  std::optional<CodeText> text = ParseCode(json);
  return text ? std::move(text->sureness) : std::vector<Sureness>();
}

Sureness SurenessWithoutMark(const Profile& profile) {
  const bool is_estimated = AgentPart(profile, kHarvestPart) || AgentPart(profile, kEstimatesPart);
  return is_estimated ? Sureness::Unknown() : Sureness::Exact();
}

std::vector<uint32_t> CodeLengthsIn(std::string_view json, size_t methods,
                                    const std::function<std::string(size_t)>& text_of) {
  auto code = ParseCode(json);
  if (!code || code->lengths.size() != methods) return {};
  uint64_t hash = 0;
  size_t bytes = 0;
  for (size_t m = 0; m < methods; ++m) {
    const std::string text = text_of(m);
    bytes += text.size();
    if (bytes > HashedNames::kMostBytes) return {};
    hash = HashWithName(hash, text);
  }
  std::string digits;
  AppendDigits(hash, kDigitsEach, &digits);
  return digits == code->methods ? std::move(code->lengths) : std::vector<uint32_t>();
}

CodePartForm LoadCodeHashes(Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  const auto json = section.Part(kCodePart);
  if (!json) return CodePartForm::kNone;
  const auto text = ParseCode(*json);
  if (!text) return CodePartForm::kMalformed;
  const std::vector<MethodIndex> methods = RecordedMethods(profile);
  if (text->hashes.size() != methods.size() || HashOfNames(profile, methods) != text->methods)
    return CodePartForm::kOther;
  for (size_t m = 0; m < methods.size(); ++m) {
    profile.SetCodeHash(methods[m], text->hashes[m]);
    if (!text->sureness.empty()) profile.AddSureness(methods[m], text->sureness[m]);
    if (!text->first.empty()) profile.AddFirstCall(methods[m], text->first[m]);
  }
  return CodePartForm::kFits;
}

void NoteCodeHashes(Profile& profile) {
  std::string hashes;
  std::string lengths;
  bool any = false;
  bool any_length = false;
  std::vector<MethodIndex> methods;
  if (profile.has_code_hashes() || profile.has_sureness() || profile.has_first_calls())
    methods = RecordedMethods(profile);
  if (methods.size() > kMostMethods) methods.clear();
  hashes.reserve(methods.size() * kDigitsEach);
  for (const MethodIndex method : methods) {
    const uint64_t hash = profile.CodeHash(method);
    any = any || hash != 0;
    hash != 0 ? AppendDigits(hash, kDigitsEach, &hashes) : hashes.push_back(kUnknown);
    any_length = any_length || CodeLengthIn(hash) != 0;
    AppendSmall(CodeLengthIn(hash), &lengths);
  }
  const std::string marks = SurenessToWrite(profile, methods);
  if (marks.empty()) profile.ForgetSureness();  // so that it says what a reader will find
  const std::string first = FirstToWrite(profile, methods);
  any = any || !marks.empty() || !first.empty();
  const std::string names = any ? HashOfNames(profile, methods) : std::string();
  if (names.empty()) return RemoveAgentPart(profile, kCodePart);
  JsonBuilder json;
  json.Open('{').Field("bits", kCodeHashBits).Field("methods", names).Field("hashes", hashes);
  if (any_length) json.Field("lengths", lengths);
  if (!marks.empty()) json.Field("sureness", marks);
  if (!first.empty()) json.Field("first", first);
  SetAgentPart(profile, kCodePart, json.Close('}').Take());
}

}  // namespace iprof
