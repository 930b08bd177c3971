// BorrowedIds: lets root do something as the target's user.
//
// Why: files that are made in the target's folders then belong to the target, and a mistake can do no
// more than the target's user may. A JVM in a user namespace also refuses our root, which has no id there.
//
// Guarantees: only the calling thread's effective ids and groups change, and they come back when the
// object goes. Where this process is not root, or is the same user already, nothing changes. A thread that
// holds one must start no threads.
// Threads: any, each with an object of its own. Failure: status() says why, and nothing has changed.
#pragma once

#include <sys/types.h>

#include <vector>

#include "cli/jvm/process_status.h"
#include "writer/base/status.h"

namespace iprof::jvm {

class BorrowedIds {
 public:
  explicit BorrowedIds(const ProcessStatus& target);
  ~BorrowedIds();
  BorrowedIds(const BorrowedIds&) = delete;
  BorrowedIds& operator=(const BorrowedIds&) = delete;

  // Fails where the kernel refused; then nothing has changed.
  const Status& status() const { return status_; }

 private:
  void GiveBack();

  bool borrowed_ = false;
  uid_t own_uid_;
  gid_t own_gid_;
  std::vector<gid_t> own_groups_;
  Status status_;
};

}  // namespace iprof::jvm
