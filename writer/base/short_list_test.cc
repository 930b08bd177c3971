#include "writer/base/short_list.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

namespace iprof {
namespace {

using List = ShortList<uint64_t, 2>;

std::vector<uint64_t> ItemsOf(const List& list) { return {list.begin(), list.end()}; }

TEST_CASE("a list has what was put into it, whether it is short or long") {
  for (size_t size = 0; size < 40; ++size) {
    List list;
    std::vector<uint64_t> wanted;
    for (size_t i = 0; i < size; ++i) {
      list.push_back(i * 7);
      wanted.push_back(i * 7);
    }
    CHECK(ItemsOf(list) == wanted);
    CHECK(list.empty() == (size == 0));
    const List copy = list;
    List moved = std::move(list);
    CHECK(list.empty());  // NOLINT(bugprone-use-after-move): it can be used again
    list.push_back(1);
    CHECK(ItemsOf(list) == std::vector<uint64_t>{1});
    CHECK(moved == copy);
    CHECK(ItemsOf(moved) == wanted);
  }
}

TEST_CASE("a short list is in the object, and takes no more room than a vector") {
  List list{1, 2};
  const void* const at = list.data();
  CHECK(at >= static_cast<const void*>(&list));
  CHECK(at < static_cast<const void*>(&list + 1));
  CHECK(sizeof(list) <= sizeof(std::vector<uint64_t>));
  list.push_back(3);
  CHECK(static_cast<const void*>(list.data()) != at);
}

TEST_CASE("lists are assigned to lists of any length, and to themselves") {
  const List all[] = {{}, {1}, {1, 2}, {1, 2, 3}, {1, 2, 3, 4, 5, 6, 7}};
  for (const List& from : all) {
    for (const List& to : all) {
      List copied = to;
      copied = from;
      CHECK(copied == from);
      List moved = to;
      List source = from;
      moved = std::move(source);
      CHECK(moved == from);
      CHECK((copied == to) == (ItemsOf(from) == ItemsOf(to)));
    }
    List same = from;
    const List& alias = same;
    same = alias;
    CHECK(same == from);
  }
}

TEST_CASE("items are put between others and taken out as in a vector") {
  std::mt19937 random(3);
  List list;
  std::vector<uint64_t> wanted;
  for (int step = 0; step < 2000; ++step) {
    const uint64_t value = random() % 50;
    if (wanted.size() < 20 && random() % 3 != 0) {
      const size_t at = random() % (wanted.size() + 1);
      list.insert(list.begin() + at, value);
      wanted.insert(wanted.begin() + static_cast<ptrdiff_t>(at), value);
    } else {
      const auto is_unwanted = [&](uint64_t item) { return item % 5 == value % 5; };
      CHECK(EraseIf(list, is_unwanted) == std::erase_if(wanted, is_unwanted));
    }
    REQUIRE(ItemsOf(list) == wanted);
  }
}

TEST_CASE("a list may be given an item of its own while it grows") {
  List list{7, 8};
  list.push_back(list[1]);
  list.insert(list.begin(), list[2]);
  for (int i = 0; i < 20; ++i) list.push_back(list[0]);
  CHECK(list[0] == 8);
  CHECK(list[3] == 8);
  CHECK(list.size() == 24);
  CHECK(std::count(list.begin(), list.end(), 8U) == 23);
}

TEST_CASE("a list says what it takes beyond itself") {
  List list{1, 2};
  CHECK(list.memory_bytes() == 0);
  list.push_back(3);
  CHECK(list.memory_bytes() >= 3 * sizeof(uint64_t));
  List other = std::move(list);
  CHECK(list.memory_bytes() == 0);  // NOLINT(bugprone-use-after-move)
  CHECK(other.memory_bytes() >= 3 * sizeof(uint64_t));
}

TEST_CASE("a list grows with items that have no value") {
  List list{5};
  list.resize(4);
  CHECK(ItemsOf(list) == std::vector<uint64_t>{5, 0, 0, 0});
  list.resize(1);
  list.resize(2);
  CHECK(ItemsOf(list) == std::vector<uint64_t>{5, 0});
  CHECK(ItemsOf(List(3)) == std::vector<uint64_t>{0, 0, 0});
}

}  // namespace
}  // namespace iprof
