#include "writer/image/finish_for_image.h"

#include <utility>

#include "writer/image/image_note.h"
#include "writer/io/agent_section.h"
#include "writer/io/code_part.h"
#include "writer/io/position_part.h"

namespace iprof {

ImageProfile FinishForImage(Profile profile, ImageTarget target, bool filter) {
  if (filter) return MakeImageProfile(profile, target);
  SetAgentPart(profile, kImagePart, ImageNote{target, false}.ToJson());
  NoteCodeHashes(profile);
  WritePositionNotes(profile);
  ImageProfile whole;
  whole.profile = std::move(profile);
  return whole;
}

}  // namespace iprof
