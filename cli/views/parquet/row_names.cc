#include "cli/views/parquet/row_names.h"

#include <algorithm>
#include <charconv>
#include <vector>

#include "writer/base/utf8.h"

namespace iprof::parquet {
namespace {

constexpr std::string_view kBetweenFrames = " < ";
constexpr std::string_view kDigits = "0123456789ABCDEF";
constexpr std::string_view kInTypes = "%(),: ";
constexpr std::string_view kInMethods = "%(),: .";

void AppendEscaped(std::string_view name, std::string_view special, std::string& text) {
  for (size_t at = 0; at < name.size();) {
    uint32_t point = 0;
    const size_t length = DecodeCodePoint(name, at, &point);
    const auto byte = static_cast<uint8_t>(name[at]);
    const bool is_plain = length > 0 && !IsSurrogate(point) && byte >= ' ' && byte != 0x7f &&
                          special.find(name[at]) == std::string_view::npos;
    if (is_plain) {
      text += name.substr(at, length);
      at += length;
      continue;
    }
    text += '%';
    text += kDigits[byte >> 4];
    text += kDigits[byte & 0xf];
    ++at;
  }
}

std::optional<std::string> Unescaped(std::string_view text) {
  std::string name;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '%') {
      name += text[at];
      continue;
    }
    if (text.size() - at < 3) return std::nullopt;
    const size_t high = kDigits.find(text[at + 1]);
    const size_t low = kDigits.find(text[at + 2]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    name += static_cast<char>(high << 4 | low);
    at += 2;
  }
  return name;
}

}  // namespace

std::string_view NameOfTable(Table table) {
  switch (table) {
    case Table::kCalls:
      return "calls";
    case Table::kConditionals:
      return "branches";
    case Table::kVirtualInvokes:
      return "receivers";
    case Table::kMonitors:
      return "monitors";
    case Table::kSamples:
      return "samples";
    case Table::kInstanceOfs:
      return "instanceofs";
  }
  return {};
}

std::string TextOfName(std::string_view name) {
  std::string text;
  AppendEscaped(name, "%", text);
  return text;
}

std::string TextOf(const Profile& profile, MethodIndex method) {
  const auto signature = profile.Signature(method);
  std::string text;
  AppendEscaped(profile.TypeName(signature[0]), kInTypes, text);
  text += '.';
  AppendEscaped(profile.MethodName(method), kInMethods, text);
  if (signature.size() == 1) return text;
  text += '(';
  for (size_t i = 2; i < signature.size(); ++i) {
    if (i > 2) text += ',';
    AppendEscaped(profile.TypeName(signature[i]), kInTypes, text);
  }
  text += ')';
  AppendEscaped(profile.TypeName(signature[1]), kInTypes, text);
  return text;
}

void AppendFrame(std::string_view method, Bci bci, std::string& text) {
  if (!text.empty()) text += kBetweenFrames;
  text += method;
  text += ':';
  text += std::to_string(bci);
}

std::optional<std::string> NameOf(std::string_view text) { return Unescaped(text); }

std::optional<TypeIndex> RowNames::TypeOf(std::string_view text) {
  const std::optional<std::string> name = Unescaped(text);
  // A ';' begins what is no class in memory: a thread.
  if (!name || name->empty() || name->front() == ';') return std::nullopt;
  return profile_.AddType(*name);
}

std::optional<MethodIndex> RowNames::MethodOf(std::string_view text) {
  if (const auto known = methods_.find(text); known != methods_.end()) return known->second;
  const size_t open = text.find('(');
  const std::string_view whole = text.substr(0, open);
  const size_t dot = whole.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::optional<std::string> name = Unescaped(whole.substr(dot + 1));
  if (!name) return std::nullopt;
  std::vector<std::string_view> types = {whole.substr(0, dot)};
  if (open != std::string_view::npos) {
    const size_t close = text.find(')', open);
    if (close == std::string_view::npos) return std::nullopt;
    types.push_back(text.substr(close + 1));
    std::string_view parameters = text.substr(open + 1, close - open - 1);
    while (!parameters.empty()) {
      const size_t comma = std::min(parameters.find(','), parameters.size());
      types.push_back(parameters.substr(0, comma));
      if (comma + 1 == parameters.size()) return std::nullopt;
      parameters.remove_prefix(std::min(comma + 1, parameters.size()));
    }
  }
  std::vector<TypeIndex> signature;
  for (const std::string_view type : types) {
    const std::optional<TypeIndex> index = TypeOf(type);
    if (!index) return std::nullopt;
    signature.push_back(*index);
  }
  const MethodIndex method = profile_.AddMethod(*name, signature);
  methods_.emplace(std::string(text), method);
  return method;
}

std::optional<ContextIndex> RowNames::AddCallers(std::string_view text, ContextIndex outermost) {
  ContextIndex context = outermost;
  while (!text.empty()) {  // from the outermost frame on
    const size_t before = text.rfind(kBetweenFrames);
    const std::string_view frame =
        before == std::string_view::npos ? text : text.substr(before + kBetweenFrames.size());
    text = text.substr(0, before == std::string_view::npos ? 0 : before);
    const size_t colon = frame.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    Bci bci = 0;
    const char* const end = frame.data() + frame.size();
    const auto parsed = std::from_chars(frame.data() + colon + 1, end, bci);
    const std::optional<MethodIndex> method = MethodOf(frame.substr(0, colon));
    if (!method || parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
    context = profile_.AddContext(context, *method, bci);
  }
  return context;
}

}  // namespace iprof::parquet
