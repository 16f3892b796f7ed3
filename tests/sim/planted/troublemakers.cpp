#include "tests/sim/planted/troublemakers.hpp"

#include <algorithm>

#include "tests/sim/world/steady.hpp"

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

// --- Meddling ---

void meddle(Scene& scene, Client& client, Duration until) {
  World& world = scene.world;
  if (world.now() > until) return;
  std::vector<LeasedJob> on;
  for (const auto& [id, job] : scene.checker.jobs()) {
    if (!job.receipt) continue;
    on.emplace_back().id = id;
    on.back().run = job.runs + 1;
  }
  client.send(client.hello("meddler"));
  if (!on.empty()) {
    const LeasedJob& job = on[static_cast<std::size_t>(world.between(0, std::ssize(on) - 1))];
    client.send(world.chance(0.5) ? Request(client.finish(job)) : Request(client.heartbeat({job})));
  }
  world.after(world.between(20 * millisecond, 200 * millisecond),
              [&scene, &client, until] { meddle(scene, client, until); });
}

void quarrel(Scene& scene, Client& one, Client& other, Duration until) {
  if (scene.world.now() > until) return;
  Hello hello = one.hello("quarreller");
  hello.takeover = true;
  one.send(hello);
  scene.world.after(scene.world.between(100 * millisecond, 400 * millisecond),
                    [&scene, &one, &other, until] { quarrel(scene, other, one, until); });
}

// --- Limits ---

void lift_and_set_again(Scene& scene, Client& client, Duration until) {
  SetLimit of_queue{LimitScope::queue, "default", {}, SetAs::operated, std::nullopt};
  SetLimit of_handler{LimitScope::handler, "work", {}, SetAs::operated, std::nullopt};
  of_queue.limit.unlimited = of_handler.limit.unlimited = true;
  client.send(of_queue);
  client.send(of_handler);
  if (scene.world.now() > until) return;
  of_queue.limit = rate_limit(10, 4);
  of_handler.limit = window_limit(4, 500, CountPolicy::completed);
  client.send(of_queue);
  client.send(of_handler);
  scene.world.after(scene.world.between(100 * millisecond, 400 * millisecond),
                    [&scene, &client, until] { lift_and_set_again(scene, client, until); });
}

void die_with_last_words(Scene& scene, int times) {
  scene.start_all();
  const auto client = scene.make_client(204);
  client->ask(SetLimit{LimitScope::queue, "default", rate_limit(2, 4), SetAs::operated, std::nullopt});
  client->ask(SetLimit{LimitScope::handler, "mail", window_limit(3, 1'500, CountPolicy::started),
                       SetAs::operated, std::nullopt});
  WorkerSetup setup;
  setup.queues = {{"default", 8}, {"other", 8}};
  setup.handlers = {"work", "mail"};
  scene.add_worker(std::move(setup));
  Producer& producer = scene.add_producer();
  scene.world.run_for(3 * second);
  for (; times > 0; --times) {
    std::vector<NewJob> jobs;
    for (int count = 0; count < 6; ++count) {
      jobs.push_back(producer.job({}, "default"));
      jobs.push_back(producer.job({}, "other"));
      jobs.back().handler = "mail";
    }
    scene.server.stall_in_turn(scene.world.between(50 * millisecond, 300 * millisecond));
    scene.server.kill_after_commit(scene.world.between(1, 3));
    producer.enqueue(std::move(jobs));
    scene.world.run_for(6 * second);
  }
  scene.finish(60 * second);
  scene.check_end();
}

void serve_apart(Scene& scene) {
  scene.start_all();
  for (const char* handler : {"mail", "work"}) {
    WorkerSetup setup;
    setup.handlers = {handler};
    setup.queues = {{"default", 2}};
    scene.add_worker(std::move(setup));
  }
  Producer& producer = scene.add_producer();
  scene.world.run_for(1 * second);
  for (int round = 0; round < 10; ++round) {
    std::vector<NewJob> jobs;
    for (int count = 0; count < 4; ++count) {
      JobPlan slow;
      slow.took_ms = 1'000;
      jobs.push_back(producer.job(slow, "default"));
      jobs.back().handler = "mail";
      jobs.push_back(producer.job({}, "default"));
    }
    producer.enqueue(std::move(jobs));
    scene.world.run_for(1 * second);
  }
  scene.finish(60 * second);
  scene.check_end();
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
