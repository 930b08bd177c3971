// SettledChoice: whether what counting costs now is due to the last choice of methods to freeze. Only then may a user
// be told that overhead= was not reached, and why.
//
// Not before the first choice of a recording, not while all methods count again after they have thawed, and not
// before one second was measured without the methods that the first choice after that froze.
//
// Guarantees: pure. Threads: one. Failure: none.
#pragma once

namespace iprof::vm {

class SettledChoice {
 public:
  // What counting costs was measured, before methods are chosen.
  void Measured() {
    if (is_new_) is_settled_ = true;
    is_new_ = false;
  }
  // `froze`: methods lose their probes now.
  void Chose(bool froze) { (froze ? is_new_ : is_settled_) = true; }
  // All methods count again, the recording goes on after a pause, or what was recorded is forgotten.
  void Forget() { is_new_ = is_settled_ = false; }

  bool is_settled() const { return is_settled_; }

 private:
  bool is_new_ = false;
  bool is_settled_ = false;
};

}  // namespace iprof::vm
