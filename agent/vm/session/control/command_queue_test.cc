#include "agent/vm/session/control/command_queue.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace iprof::vm {
namespace {

using namespace std::chrono_literals;
using Place = CommandQueue::Place;

}  // namespace

TEST_CASE("Commands run one at a time, in order of arrival", "[command_queue]") {
  CommandQueue queue;
  std::vector<std::unique_ptr<Place>> places;
  for (int i = 0; i < 8; ++i) places.push_back(std::make_unique<Place>(queue, "status"));
  std::atomic<int> running{0};
  std::vector<int> order;  // guarded by the turn
  std::vector<std::thread> threads;
  for (int i = 7; i >= 0; --i) {
    threads.emplace_back([&, i] {
      const auto n = static_cast<size_t>(i);
      if (!places[n]->Wait(1min).ok()) return;
      const bool is_alone = running.fetch_add(1) == 0;
      order.push_back(is_alone ? i : -1);
      running.fetch_sub(1);
      places[n].reset();
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(order == std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7});
}

TEST_CASE("A command that waits too long is told which one runs", "[command_queue]") {
  CommandQueue queue;
  auto first = std::make_unique<Place>(queue, "stop");
  REQUIRE(first->Wait(0ms).ok());
  Place second(queue, "dump");
  const Status waited = second.Wait(1ms);
  CHECK(waited.code() == Code::kLimit);
  CHECK(waited.message() == "the command waited too long: 'stop' is still running");
}

TEST_CASE("A place that is given up holds up no other", "[command_queue]") {
  CommandQueue queue;
  auto first = std::make_unique<Place>(queue, "start");
  auto second = std::make_unique<Place>(queue, "stop");
  Place third(queue, "dump");
  first.reset();
  second.reset();
  CHECK(third.Wait(1min).ok());
}

TEST_CASE("Too many commands are refused at once", "[command_queue]") {
  CommandQueue queue;
  std::vector<std::unique_ptr<Place>> places;
  for (size_t i = 0; i < CommandQueue::kMostWaiting; ++i)
    places.push_back(std::make_unique<Place>(queue, "status"));
  Place more(queue, "status");
  CHECK(more.Wait(1min).message() == "32 commands are waiting already: try again later");
  CHECK(places.front()->Wait(1min).ok());
}

TEST_CASE("While the queue is held, commands wait, and then run in order", "[command_queue]") {
  CommandQueue queue;
  queue.Hold();
  Place first(queue, "stop");
  CHECK(Place(queue, "status").Wait(1ms).message() ==
        "the command waited too long: the JVM is still starting");
  auto second = std::make_unique<Place>(queue, "start");
  std::optional<Status> waited;
  std::thread thread([&] {
    waited = second->Wait(1min);
    second.reset();
  });
  queue.Release();
  CHECK(first.Wait(1min).ok());
  const Status behind = Place(queue, "status").Wait(1ms);
  CHECK(behind.message() == "the command waited too long: 'stop' is still running");
  queue.Close();  // the second one has not had its turn
  thread.join();
  CHECK(waited->message() == "the program is ending");
}

TEST_CASE("While the queue is held, a command that only asks overtakes those that wait",
          "[command_queue]") {
  CommandQueue queue;
  queue.Hold();
  Place first(queue, "stop");
  {
    Place asks(queue, "status", CommandQueue::Entry::kAsks);
    CHECK(asks.Wait(1min).ok());
    Place second(queue, "status", CommandQueue::Entry::kAsks);
    CHECK_FALSE(second.Wait(1ms).ok());  // one at a time
  }
  queue.Release();
  CHECK_FALSE(Place(queue, "status", CommandQueue::Entry::kAsks).Wait(1ms).ok());  // in order
  CHECK(first.Wait(1min).ok());
}

TEST_CASE("A close refuses the commands of a queue that is held", "[command_queue]") {
  CommandQueue queue;
  queue.Hold();
  Place place(queue, "stop");
  std::optional<Status> waited;
  std::thread thread([&] { waited = place.Wait(1min); });
  queue.Close();
  thread.join();
  CHECK(waited->message() == "the program is ending");
  queue.Release();
  CHECK_FALSE(Place(queue, "status").Wait(1min).ok());
}

TEST_CASE("After a close every command is refused", "[command_queue]") {
  CommandQueue queue;
  auto first = std::make_unique<Place>(queue, "stop");
  REQUIRE(first->Wait(0ms).ok());
  Place second(queue, "dump");
  std::optional<Status> waited;
  std::thread thread([&] { waited = second.Wait(1min); });
  queue.Close();
  thread.join();
  CHECK(waited->message() == "the program is ending");
  first.reset();
  CHECK_FALSE(Place(queue, "status").Wait(1min).ok());
}

}  // namespace iprof::vm
