#include "writer/profile/image/finish_for_image.h"

#include <utility>

#include "writer/profile/image/image_note.h"
#include "writer/profile/image/sample_split.h"
#include "writer/profile/io/agent_section.h"
#include "writer/profile/io/code_part.h"
#include "writer/profile/io/position_part.h"

namespace iprof {
namespace {

void WriteParts(Profile& profile, const ImageNote& note) {
  if (note.filtered && profile.entry_count(Table::kSamples) > 0 && HasWholeStacks(profile))
    SetAgentPart(profile, kSplitPart, kCompleteSplit);
  SetAgentPart(profile, kImagePart, note.ToJson());
  NoteCodeHashes(profile);
  WritePositionNotes(profile);
}

}  // namespace

ImageProfile FinishForImage(Profile profile, ImageTarget target, bool filter) {
  if (filter) return MakeImageProfile(profile, target);
  WriteParts(profile, {target, false});
  ImageProfile whole;
  whole.profile = std::move(profile);
  return whole;
}

void FinishFiltered(Profile& profile, ImageTarget target) { WriteParts(profile, {target, true}); }

}  // namespace iprof
