#include "writer/profile/image/image_note.h"

#include <rapidjson/document.h>

namespace iprof {
namespace {

constexpr size_t kMostBytes = 4096;  // a note has about 30

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
  if (!document.HasMember("target") || !document.HasMember("filtered")) return std::nullopt;
  const rapidjson::Value& target = document["target"];
  const rapidjson::Value& filtered = document["filtered"];
  if (!target.IsInt() || !filtered.IsBool()) return std::nullopt;
  for (const ImageTarget known : kImageTargets) {
    if (JdkOf(known) == target.GetInt()) return ImageNote{known, filtered.GetBool()};
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
