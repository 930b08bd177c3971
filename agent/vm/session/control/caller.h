// Caller: the client that gave a command and gets the answer.
//
// Guarantees: no call waits for ever. Once the program is ending, a caller that does nothing for five seconds is given up.
// Threads: any; profile and HasSaved one at a time. Failure: what a caller does not take is lost for it alone.
#pragma once

#include "writer/base/status.h"
#include "writer/control/answer.h"
#include "writer/control/progress.h"
#include "writer/profile/io/byte_stream.h"

namespace iprof::vm {

class Caller {
 public:
  virtual ~Caller() = default;

  // The last that it hears.
  virtual void Answer(const control::Answer& answer) = 0;
  // Hears how far a command is that takes long; it does not wait.
  virtual void Report(const control::Progress& progress) = 0;
  // Takes the profile that it wants. Finish says that this is all of it.
  virtual ByteSink& profile() = 0;
  // After Finish: waits until the caller has put the profile into its place. False: it could not, or is gone.
  virtual bool HasSaved() = 0;
  // Whether it still listens.
  virtual bool IsThere() const = 0;
};

}  // namespace iprof::vm
