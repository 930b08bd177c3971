// The part "code" of a profile's section "iprofagent": for each recorded method a hash of its code,
// so that profiles of different versions of a program can be merged and compared, the code's length, so that
// positions beyond its end are noticed, and how sure its numbers are.
//   "code": {"bits":36,"methods":"c0FFee","hashes":"4fG1kQhS3x+A…","lengths":"Lh3B…","sureness":"e12Lg"}
//
// A method is recorded if an entry of calls, branches, receivers or type checks has it as its
// innermost frame. The hashes are in the order of the methods' ids, six base64 digits each; a '-'
// instead means that a hash is not known. The lengths, one for each method, are as AppendSmall writes them
// (digits.h); 0 means that one is not known, and older files have none. Names would take ten times the space. "methods" is a hash of the
// recorded methods' names, by which a reader notices that another program changed the profile.
// The sureness is a mark for each method (sureness.h), followed by a number if so many in a row have it: "e12Lg" are 12 exact
// methods, one that is estimated from 2^11 executions, and a guess. It is left out if all are what SurenessWithoutMark says.
// The member "first" says when each method was first called (first_calls.h): as AppendSmall writes them, the number of runs
// and, unless that is 0, the sum of the ranks. It is left out if it is known of no method.
//
// Guarantees: LoadCodeHashes reads what NoteCodeHashes writes, for any profile. A part that does not
// fit sets nothing. NoteCodeHashes changes nothing but this part, and writes none if neither a hash nor a sureness is
// to be written.
// Threads: any, while no other thread uses the profile. Failure: see the result; std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

enum class CodePartForm : uint8_t {
  kNone,
  kFits,
  kOther,      // belongs to other methods than the profile's
  kMalformed,  // has another shape
};

// Sets the model's hashes and sureness from the part.
CodePartForm LoadCodeHashes(Profile& profile);
// Makes the part from the model's hashes and sureness, and removes it if there are none.
void NoteCodeHashes(Profile& profile);

// Whether the text has the shape of the part.
bool IsCodePart(std::string_view json);
// The hashes in a part's text, 0 where one is not known; nullopt if it has another shape. For who knows only the
// methods' ids.
std::optional<std::vector<uint64_t>> HashesInCodePart(std::string_view json);
// How sure each method is, in the same way; empty if the part does not say.
std::vector<Sureness> SurenessInCodePart(std::string_view json);

// Of the methods of a profile that has no mark for them: exact, but unknown in a harvest and beside
// the part `estimates`.
Sureness SurenessWithoutMark(const Profile& profile);

// The lengths in the part, for so many recorded methods in the order of their ids; empty if there are none, or if the part
// belongs to other methods. `text_of` returns the name of one of them and of the types in its signature, each with a
// space before it.
std::vector<uint32_t> CodeLengthsIn(std::string_view json, size_t methods,
                                    const std::function<std::string(size_t)>& text_of);

}  // namespace iprof
