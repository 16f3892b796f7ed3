#include "tests/sim/world/client.hpp"

#include "protocol/codec.hpp"

namespace stint::sim {

std::uint64_t Client::send(const Request& request) {
  network_.to_server(peer_, {std::string(wire_type(request)), std::to_string(++requests_), encode(request)});
  return requests_;
}

std::optional<Answer> Client::ask(const Request& request, Duration span) {
  const Duration until = world_.now() + span;
  while (world_.now() < until) {
    const std::uint64_t number = send(request);
    if (world_.run_until([&] { return !answers_[number].empty(); }, 1 * second))
      return answers_[number].front();
  }
  return std::nullopt;
}

bool Client::wait_for_connection(Duration span) {
  return world_.run_until([&] { return network_.is_connected(peer_); }, span);
}

Hello Client::hello(const std::string& worker) const {
  Hello hello;
  hello.client = "sim";
  hello.worker = worker;
  hello.session = session_;
  hello.handlers["work"] = {};
  hello.queues = {"default"};
  return hello;
}

RequestBatch Client::request_batch(std::int64_t ask, std::int64_t permits, std::int64_t wait_ms) const {
  RequestBatch request;
  request.session = session_;
  request.ask = ask;
  request.queues = {{"default", permits}};
  request.wait_ms = wait_ms;
  return request;
}

Finish Client::finish(const LeasedJob& job, Outcome outcome) const {
  Finish finish;
  finish.session = session_;
  RunResult result;
  result.id = job.id;
  result.run = job.run;
  result.outcome = outcome;
  if (outcome == Outcome::snoozed) result.retry_in_ms = 100;
  finish.results.push_back(result);
  finish.positions.push_back(0);
  return finish;
}

Heartbeat Client::heartbeat(const std::vector<LeasedJob>& jobs) const {
  Heartbeat heartbeat;
  heartbeat.session = session_;
  for (const LeasedJob& job : jobs) heartbeat.jobs.push_back({job.id, job.run, std::nullopt});
  return heartbeat;
}

void Client::received(Frames frames) {
  auto answer = decode_answer(frames.type, frames.body, Bounds{});
  if (!answer) return world_.fail("D9", "an answer cannot be read: " + answer.error().message);
  if (const auto* batch = std::get_if<Batch>(&*answer)) checker_.arrived(session_, *batch);
  if (heard) heard(*answer);
  answers_[std::stoull(frames.correlation)].push_back(std::move(*answer));
}

}  // namespace stint::sim
