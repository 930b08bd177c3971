// ProgramGroups: whether the inputs of a merge are of one program.
//
// The methods outside the JDK that an input called are its own methods, and the calls of a method divided by those of all own
// methods are its share. (Without calls, it is samples by the running method.) Two inputs belong together if the methods that
// both have make 5 % of one of them, or more. So a short test belongs to a long run of the program: all of the test's methods
// are in the run. Inputs that belong together through others are one group, and an input without own methods is in none.
//
// Guarantees: two inputs are judged alike in either order. Keeps one number for each method of all inputs, however many
// inputs there are, and separates at most kMostGroups groups.
// Threads: any; Add may run in several threads at once. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "writer/profile/model.h"

namespace iprof {

class ProgramGroups {
 public:
  static constexpr double kLeastShared = 0.05;
  static constexpr size_t kMostGroups = 8;

  void Add(size_t input, const Profile& profile);
  // The first input of each group, in ascending order. More than one: the inputs are of different programs.
  std::vector<size_t> Firsts() const;

 private:
  using Shares =
      std::unordered_map<uint64_t, double>;  // by a hash of the method's name and signature
  struct Group {
    size_t first;
    double inputs;  // the sum of the shares
    Shares shares;
  };

  static Shares SharesOf(const Profile& profile);
  static bool BelongTogether(const Group& a, const Group& b);
  // Adds a group to those that it belongs to, which become one.
  static void Unite(std::vector<Group>& groups, Group added);

  mutable std::mutex lock_;
  std::vector<Group> groups_;
};

}  // namespace iprof
