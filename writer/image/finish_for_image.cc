#include "writer/image/finish_for_image.h"

#include <utility>

#include "writer/image/image_note.h"
#include "writer/io/agent_section.h"

namespace iprof {

ImageProfile FinishForImage(Profile profile, ImageTarget target, bool filter) {
  if (filter) return MakeImageProfile(profile, target);
  SetAgentPart(profile, kImagePart, ImageNote{target, false}.ToJson());
  ImageProfile whole;
  whole.profile = std::move(profile);
  return whole;
}

}  // namespace iprof
