#include "agent/instrument/class_table.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <thread>

namespace iprof::instrument {
namespace {

std::unique_ptr<CountedClass> Named(std::string_view name, uint64_t hash) {
  auto c = std::make_unique<CountedClass>();
  c->name = c->Keep(name);
  c->hash = {.low = hash, .high = ~hash};
  return c;
}

TEST_CASE("a class keeps copies of names, long, short and empty ones") {
  CountedClass c;
  CHECK(c.Keep("").empty());
  std::vector<std::pair<std::string, std::string_view>> kept;
  for (size_t i = 0; i < 3000; ++i) {
    std::string text(i % 7 == 0 ? 5000 : i % 90, static_cast<char>('a' + i % 26));
    const std::string_view copy = c.Keep(text);
    kept.emplace_back(std::move(text), copy);
  }
  for (const auto& [text, copy] : kept) {
    if (copy != text) FAIL("expected " << text << ", kept " << copy);
  }
}

TEST_CASE("a class is its name and its bytes") {
  ClassTable table;
  CHECK_FALSE(table.KnowsName("a/B"));
  const CountedClass* first = table.Add(Named("a/B", 1));
  const CountedClass* second = table.Add(Named("a/B", 2));
  const CountedClass* other = table.Add(Named("a/C", 1));
  CHECK(std::set{first, second, other}.size() == 3);
  CHECK(table.Add(Named("a/B", 1)) == first);
  CHECK(table.Find("a/B", {1, ~uint64_t{1}}) == first);
  CHECK(table.Find("a/B", {2, ~uint64_t{2}}) == second);
  CHECK(table.Find("a/C", {2, ~uint64_t{2}}) == nullptr);
  CHECK(table.Find("a/D", {1, ~uint64_t{1}}) == nullptr);
  CHECK(table.KnowsName("a/B"));
  CHECK_FALSE(table.KnowsName("a"));
}

TEST_CASE("the order of all classes does not depend on that of loading") {
  const std::vector<std::pair<std::string, uint64_t>> classes = {{"b", 2}, {"a", 1}, {"c", 3},
                                                                 {"b", 1}, {"a", 9}, {"b", 7}};
  const auto listed = [](const ClassTable& table) {
    std::vector<std::pair<std::string, uint64_t>> list;
    for (const CountedClass* c : table.Sorted()) list.emplace_back(c->name, c->hash.low);
    return list;
  };
  ClassTable forwards, backwards;
  for (const auto& [name, hash] : classes) forwards.Add(Named(name, hash));
  for (size_t i = classes.size(); i-- > 0;)
    backwards.Add(Named(classes[i].first, classes[i].second));
  CHECK(listed(forwards) == listed(backwards));
  CHECK(listed(forwards).size() == classes.size());
  CHECK(listed(forwards).front().first == "a");
  CHECK(listed(forwards).back().first == "c");
}

TEST_CASE("threads that add the same classes end up with the same ones") {
  constexpr uint64_t kClasses = 500;
  ClassTable table;
  std::vector<std::vector<const CountedClass*>> seen(4);
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&] {
      for (uint64_t i = 0; i < kClasses; ++i)
        mine.push_back(table.Add(Named("c" + std::to_string(i / 2), i)));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : seen) CHECK(mine == seen[0]);
  CHECK(table.Sorted().size() == kClasses);
}

}  // namespace
}  // namespace iprof::instrument
