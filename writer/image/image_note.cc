#include "writer/image/image_note.h"

namespace iprof {

std::string ImageNote::ToJson() const {
  return "{\"target\":" + std::to_string(JdkOf(target)) +
         ",\"filtered\":" + (filtered ? "true}" : "false}");
}

std::optional<ImageNote> ImageNote::Parse(std::string_view json) {
  std::string text(json);  // of whoever wrote the file, with blanks perhaps
  std::erase_if(text, [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; });
  for (const ImageTarget target : kImageTargets) {
    for (const bool filtered : {false, true}) {
      const ImageNote note{target, filtered};
      if (note.ToJson() == text) return note;
    }
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
