#include "writer/image/image_note.h"

#include <rapidjson/document.h>

namespace iprof {
namespace {

constexpr size_t kMostBytes = 4096;  // a note has some 30

}  // namespace

std::string ImageNote::ToJson() const {
  return "{\"target\":" + std::to_string(JdkOf(target)) +
         ",\"filtered\":" + (filtered ? "true}" : "false}");
}

std::optional<ImageNote> ImageNote::Parse(std::string_view json) {
  if (json.size() > kMostBytes) return std::nullopt;
  rapidjson::Document document;
  document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
  if (document.HasParseError() || !document.IsObject()) return std::nullopt;
  const auto target = document.FindMember("target");
  const auto filtered = document.FindMember("filtered");
  const bool complete = target != document.MemberEnd() && filtered != document.MemberEnd();
  if (!complete || !target->value.IsInt() || !filtered->value.IsBool()) return std::nullopt;
  for (const ImageTarget known : kImageTargets) {
    if (JdkOf(known) == target->value.GetInt()) return ImageNote{known, filtered->value.GetBool()};
  }
  return std::nullopt;
}

std::optional<ImageNote> ImageNote::Of(const AgentSection& section) {
  const auto json = section.Part(kImagePart);
  if (!json) return std::nullopt;
  return Parse(*json);
}

std::optional<ImageNote> ImageNote::Of(const Profile& profile) {
  return Of(AgentSection::Of(profile));
}

}  // namespace iprof
