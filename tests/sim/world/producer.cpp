#include "tests/sim/world/producer.hpp"

#include <utility>

#include "protocol/codec.hpp"

namespace stint::sim {

Producer::Producer(World& world, Network& network, Checker& checker, std::string name)
    : world_(world),
      network_(network),
      checker_(checker),
      name_(std::move(name)),
      peer_(network.join(*this)) {}

NewJob Producer::job(JobPlan plan, const std::string& queue) {
  plan.token = name_ + "-" + std::to_string(++jobs_);
  NewJob job;
  job.handler = "work";
  job.queue = queue;
  job.payload = to_payload(plan);
  return job;
}

void Producer::enqueue(std::vector<NewJob> jobs) {
  Enqueue enqueue{std::move(jobs), name_ + ":" + std::to_string(++enqueues_)};
  const std::string key = enqueue.batch_key;
  checker_.sent(key, enqueue);
  open_.emplace(key, std::move(enqueue));
  for (int copy = 0; copy < copies_; ++copy) send(key);
}

void Producer::send(const std::string& key) {
  const auto open = open_.find(key);
  if (open == open_.end()) return;
  const Request request = open->second;
  // The key is the correlation, too.
  network_.to_server(peer_, {std::string(wire_type(request)), key, encode(request)});
  world_.after(patience, [this, key] { send(key); });
}

void Producer::connected() {}

void Producer::received(Frames frames) {
  const auto answer = decode_answer(frames.type, frames.body, Bounds{});
  if (!answer) return world_.fail("D9", "an answer cannot be read: " + answer.error().message);
  const std::string& key = frames.correlation;
  if (const auto* enqueued = std::get_if<Enqueued>(&*answer)) {
    checker_.acknowledged(key, *enqueued);
    open_.erase(key);
  } else if (const auto* error = std::get_if<Error>(&*answer); error != nullptr && !error->retry_in_ms) {
    world_.fail("D8", "an enqueue was refused for good: " + error->message);
  }
}

}  // namespace stint::sim
