#include "writer/profile/io/position_part.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writer/base/murmur3.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/digits.h"
#include "writer/profile/io/hashed_names.h"
#include "writer/profile/io/json_builder.h"
#include "writer/profile/io/json_object.h"
#include "writer/profile/io/source_lines.h"
#include "writer/profile/sample_threads.h"

namespace iprof {
namespace {

constexpr char kUnknown = '-';
constexpr size_t kDigitsOfHash = 6;
constexpr int64_t kMostBci = 65'534;
constexpr uint64_t kMostIds = uint64_t{1} << 40;
// The texts must stay below the reader's limit for a string.
constexpr size_t kMostText = size_t{15} << 20;

// In digits; empty if the names of the methods are too long.
std::string HashOf(const Profile& profile, const std::vector<ProfilePosition>& positions) {
  std::string text;
  HashedNames names;
  uint64_t hash = 0;
  MethodIndex last = kNoMethod;
  for (const auto& [frame, is_call] : positions) {
    text.assign(reinterpret_cast<const char*>(&hash), sizeof hash);
    if (frame.method != last && !names.Append(profile, frame.method, &text)) return {};
    last = frame.method;
    text += ':' + std::to_string(frame.bci);
    if (is_call) text += '*';
    hash = Murmur3(text).low;
  }
  std::string digits;
  AppendDigits(hash, kDigitsOfHash, &digits);
  return digits;
}

struct PartText {
  std::string of;
  std::string lines;
  std::string callees;
  std::vector<std::string> names;
  std::string rests;
};

std::optional<PartText> Parse(std::string_view json) {
  PartText text;
  const bool read =
      ParseObject(json, kPositionsPart, [&](JsonScanner& in, const std::string& name) {
        if (name == "of") return in.ReadText(&text.of);
        if (name == "lines") return in.ReadText(&text.lines);
        if (name == "callees") return in.ReadText(&text.callees);
        if (name == "names")
          return in.ReadArray([&] { return in.ReadText(&text.names.emplace_back()); });
        if (name == "rests") return in.ReadText(&text.rests);
        return in.SkipValue();
      });
  if (!read || text.of.size() != kDigitsOfHash) return std::nullopt;
  return text;
}

// The lines of `count` positions; -1 where one is not known. nullopt if the text has another shape.
std::optional<std::vector<int32_t>> LinesIn(std::string_view text, size_t count) {
  constexpr int64_t kMostLines = 65'535;
  std::vector<int32_t> lines;
  DigitReader in(text);
  int64_t line = 0;
  while (lines.size() < count) {
    if (in.Consume(kUnknown)) {
      lines.push_back(-1);
      continue;
    }
    const int64_t step = in.Signed();
    if (!in.ok() || step < -kMostLines || step > kMostLines) return std::nullopt;
    line += step;
    if (line < 0 || line > kMostLines) return std::nullopt;
    lines.push_back(static_cast<int32_t>(line));
  }
  if (!in.at_end()) return std::nullopt;
  return lines;
}

// "java.util.List.get"
std::string CalleeName(const Profile& profile, MethodIndex method) {
  return std::string(profile.TypeName(profile.DeclaringType(method))) + "." +
         std::string(profile.MethodName(method));
}

void AddCallees(const PartText& text, const std::vector<ProfilePosition>& positions,
                Profile& profile) {
  if (text.callees.empty()) return;
  std::unordered_map<uint64_t, MethodIndex> methods;  // by file id
  for (const MethodIndex method : MethodsOf(profile))
    methods.emplace(static_cast<uint64_t>(profile.MethodFileId(method)), method);
  DigitReader callees(text.callees);
  for (const auto& [frame, is_call] : positions) {
    if (!is_call || callees.at_end()) continue;
    const uint64_t number = callees.Small();
    if (number % 2 == 1) {
      const auto method = methods.find(number / 2);
      if (method != methods.end())
        profile.notes().SetCallee(frame.method, frame.bci, CalleeName(profile, method->second));
    } else if (number != 0 && number / 2 <= text.names.size()) {
      profile.notes().SetCallee(frame.method, frame.bci, text.names[number / 2 - 1]);
    }
  }
}

// Until the first number that makes no sense.
void AddRests(std::string_view text, const std::vector<ProfilePosition>& positions,
              Profile& profile) {
  DigitReader rests(text);
  size_t next = 0;
  while (!rests.at_end()) {
    const uint64_t between = rests.Small();
    const uint64_t rest = rests.Small();
    if (!rests.ok() || rest > PositionNotes::kWhole || between >= positions.size() - next) return;
    const Frame& frame = positions[next + between].frame;
    profile.notes().SetRest(frame.method, frame.bci, static_cast<uint16_t>(rest));
    next += between + 1;
  }
}

std::string RestsOf(const PositionNotes& notes, const std::vector<ProfilePosition>& positions) {
  std::string rests;
  size_t between = 0;
  for (const auto& [frame, is_call] : positions) {
    const uint16_t rest = notes.RestOf(frame.method, frame.bci);
    if (rest == 0) {
      ++between;
      continue;
    }
    AppendSmall(between, &rests);
    AppendSmall(rest, &rests);
    between = 0;
  }
  return rests;
}

void LoadPart(std::string_view json, Profile& profile) {
  const std::optional<PartText> text = Parse(json);
  if (!text) return;
  const std::vector<ProfilePosition> positions = PositionsOf(profile);
  if (HashOf(profile, positions) != text->of) return;
  const auto lines = LinesIn(text->lines, text->lines.empty() ? 0 : positions.size());
  if (!lines) return;
  for (size_t p = 0; p < lines->size(); ++p)
    profile.notes().SetLine(positions[p].frame.method, positions[p].frame.bci, (*lines)[p]);
  AddCallees(*text, positions, profile);
  AddRests(text->rests, positions, profile);
}

// The older part names methods by their text.
void LoadOlderPart(const SourceLines& lines, Profile& profile) {
  std::unordered_map<uint32_t, std::string> names;
  for (const auto& [frame, is_call] : PositionsOf(profile)) {
    const auto [name, is_new] = names.try_emplace(static_cast<uint32_t>(frame.method));
    if (is_new) name->second = profile.DescribeMethod(frame.method);
    if (const auto line = lines.LineOf(name->second, frame.bci))
      profile.notes().SetLine(frame.method, frame.bci,
                              static_cast<int32_t>(std::min<int64_t>(*line, INT32_MAX)));
  }
}

}  // namespace

std::vector<ProfilePosition> PositionsOf(const Profile& profile) {
  std::vector<ProfilePosition> positions;
  std::vector<bool> is_known(profile.context_count());
  const ThreadFrames threads(profile);
  for (const Table table : kAllTables) {
    if (table == Table::kMonitors) continue;
    for (const EntryIndex entry : EntriesOf(profile, table)) {
      ContextIndex context = profile.EntryContext(table, entry);
      const Frame innermost = profile.InnermostFrame(context);
      if (table == Table::kVirtualInvokes) positions.push_back({innermost, true});
      if (table == Table::kConditionals) {
        for (const Successor& s : profile.EntrySuccessors(entry)) {
          if (s.bci >= 0 && s.bci <= kMostBci)
            positions.push_back({{innermost.method, static_cast<Bci>(s.bci)}, false});
        }
      }
      for (; context != kNoContext && !is_known[static_cast<size_t>(context)];
           context = profile.Caller(context)) {
        is_known[static_cast<size_t>(context)] = true;
        const Frame frame = profile.InnermostFrame(context);
        if (!threads.Is(frame.method)) positions.push_back({frame, false});
      }
    }
  }
  const auto order = [&](const ProfilePosition& p) {
    return std::tuple(profile.MethodFileId(p.frame.method), p.frame.bci, !p.is_call);
  };
  std::sort(
      positions.begin(), positions.end(),
      [&](const ProfilePosition& a, const ProfilePosition& b) { return order(a) < order(b); });
  const auto same = [](const ProfilePosition& a, const ProfilePosition& b) {
    return a.frame == b.frame;
  };
  positions.erase(std::unique(positions.begin(), positions.end(), same), positions.end());
  return positions;
}

bool IsPositionPart(std::string_view json) { return Parse(json).has_value(); }

void LoadPositionNotes(Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  if (const auto json = section.Part(kPositionsPart)) LoadPart(*json, profile);
  const SourceLines older = SourceLines::Of(profile);
  if (!older.empty()) LoadOlderPart(older, profile);
}

void WritePositionNotes(Profile& profile) {
  const AgentSection section = AgentSection::Of(profile);
  const auto older = section.Part(kLinesPart);
  if (older && SourceLines().AddJson(*older)) RemoveAgentPart(profile, kLinesPart);
  if (profile.notes().empty()) return RemoveAgentPart(profile, kPositionsPart);
  const std::vector<ProfilePosition> positions = PositionsOf(profile);
  const PositionNotes& notes = profile.notes();
  std::string lines;
  bool any_line = false;
  int64_t last = 0;
  std::set<std::string_view, std::less<>> uses;
  for (const auto& [frame, is_call] : positions) {
    const auto line = notes.LineOf(frame.method, frame.bci);
    if (line && *line <= 65'535) {
      AppendSigned(*line - last, &lines);
      last = *line;
      any_line = true;
    } else {
      lines.push_back(kUnknown);
    }
    if (!is_call) continue;
    const std::string_view callee = notes.CalleeOf(frame.method, frame.bci);
    if (!callee.empty()) uses.insert(callee);
  }
  // Most callees are methods of the profile, and have numbers of these.
  std::unordered_map<std::string_view, uint64_t> numbers;
  for (const MethodIndex method : MethodsOf(profile)) {
    const auto id = static_cast<uint64_t>(profile.MethodFileId(method));
    const auto used = uses.find(CalleeName(profile, method));
    if (used == uses.end() || id > kMostIds) continue;
    uint64_t& number = numbers.try_emplace(*used, 2 * id + 1).first->second;
    number = std::min(number, 2 * id + 1);
  }
  std::vector<std::string_view> names;  // of the others
  for (const std::string_view name : uses) {
    if (numbers.contains(name)) continue;
    names.push_back(name);
    numbers.emplace(name, 2 * names.size());
  }
  std::string callees;
  for (const auto& [frame, is_call] : positions) {
    if (!is_call || numbers.empty()) continue;
    const auto number = numbers.find(notes.CalleeOf(frame.method, frame.bci));
    AppendSmall(number == numbers.end() ? 0 : number->second, &callees);
  }
  const std::string rests = RestsOf(notes, positions);
  if (!any_line && callees.empty() && rests.empty())
    return RemoveAgentPart(profile, kPositionsPart);
  if (lines.size() > kMostText || callees.size() > kMostText || rests.size() > kMostText)
    return RemoveAgentPart(profile, kPositionsPart);
  const std::string hash = HashOf(profile, positions);
  if (hash.empty()) return RemoveAgentPart(profile, kPositionsPart);
  JsonBuilder json;
  json.Open('{').Field("of", hash);
  if (any_line) json.Field("lines", lines);
  if (!callees.empty()) {
    json.Field("callees", callees).Key("names").Open('[');
    for (const std::string_view name : names) json.String(name);
    json.Close(']');
  }
  json.FieldIfAny("rests", rests);
  SetAgentPart(profile, kPositionsPart, json.Close('}').Take());
}

}  // namespace iprof
