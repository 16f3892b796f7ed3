#include "tests/sim/planted/troublemakers.hpp"

#include <algorithm>

namespace stint::sim {

namespace {

constexpr std::int64_t most_taken = 3;

}  // namespace

// --- Stubborn ---

Stubborn::Stubborn(Scene& scene) : scene_(scene), client_(scene.make_client(201)) {
  client_->heard = [this](const Answer& answer) { hear(answer); };
}

void Stubborn::act() {
  client_->send(client_->hello("stubborn"));
  if (held_.empty() && taken_ < most_taken) {
    RequestBatch ask = client_->request_batch(got_ + 1, 1, 200);
    ask.got = got_;
    client_->send(ask);
  }
  Heartbeat heartbeat = client_->heartbeat(held_);
  heartbeat.got = got_;
  client_->send(heartbeat);
  scene_.world.after(400 * millisecond, [this] { act(); });
}

void Stubborn::hear(const Answer& answer) {
  if (const auto* batch = std::get_if<Batch>(&answer); batch != nullptr && batch->ask == got_ + 1) {
    ++got_;
    held_ = batch->jobs;
    taken_ += std::ssize(held_);
  } else if (const auto* news = std::get_if<HeartbeatOk>(&answer)) {
    std::erase_if(held_, [&](const LeasedJob& job) {
      return std::find(news->lost.begin(), news->lost.end(), JobRun{job.id, job.run}) != news->lost.end();
    });
  }
}

// --- Cancels ---

void cancel_now_and_then(Scene& scene, Client& client, Duration until) {
  if (scene.world.now() > until) return;
  const auto& jobs = scene.checker.acknowledged_jobs();
  if (!jobs.empty()) {
    client.send(CancelJob{jobs[static_cast<std::size_t>(scene.world.between(0, std::ssize(jobs) - 1))]});
  }
  scene.world.after(scene.world.between(5 * millisecond, 100 * millisecond),
                    [&scene, &client, until] { cancel_now_and_then(scene, client, until); });
}

// --- KeyThief ---

namespace {

constexpr const char* stolen_key = "thief:1";

NewJob job_with(const std::string& token) {
  JobPlan plan;
  plan.token = token;
  NewJob job;
  job.handler = "work";
  job.queue = "default";
  job.payload = to_payload(plan);
  return job;
}

}  // namespace

KeyThief::KeyThief(Scene& scene)
    : scene_(scene), client_(scene.make_client(202)), first_{{job_with("thief-1")}, stolen_key} {
  scene_.checker.sent(stolen_key, first_);
  client_->heard = [this](const Answer& answer) {
    const auto* enqueued = std::get_if<Enqueued>(&answer);
    if (enqueued == nullptr || is_acknowledged_) return;
    scene_.checker.acknowledged(stolen_key, *enqueued);
    is_acknowledged_ = true;
  };
}

void KeyThief::act() {
  look_at_answers();
  if (!is_acknowledged_) {
    client_->send(first_);
  } else {
    const std::string token = "thief-" + std::to_string(thefts_.size() + 2);
    thefts_.push_back(client_->send(Enqueue{{job_with(token)}, stolen_key}));
  }
  scene_.world.after(300 * millisecond, [this] { act(); });
}

void KeyThief::look_at_answers() {
  for (const std::uint64_t theft : thefts_) {
    for (const Answer& answer : client_->answers(theft)) {
      if (!std::holds_alternative<Enqueued>(answer)) continue;
      scene_.world.fail("D8", "other jobs with a batch_key that was used are answered as those were");
    }
  }
}

}  // namespace stint::sim
