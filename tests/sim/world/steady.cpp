#include "tests/sim/world/steady.hpp"

namespace stint::sim {

Limit rate_limit(double per_second, std::int64_t burst) {
  Limit limit;
  limit.rate = per_second;
  limit.burst = burst;
  return limit;
}

Limit window_limit(std::int64_t max, std::int64_t window_ms, CountPolicy count) {
  Limit limit;
  limit.max = max;
  limit.window_ms = window_ms;
  limit.count = count;
  return limit;
}

Steady::Steady(Scene& scene, int jobs, int workers) : scene_(scene) {
  scene_.start_all();
  const std::string number = std::to_string(scene_.workers().size());
  queue_ = "steady" + number;
  handler_ = "work" + number;
  operator_ = scene_.make_client(static_cast<unsigned char>(100 + scene_.workers().size()));
  producer_ = &scene_.add_producer();
  scene_.world.run_for(1 * second);
  ask(Pause{LimitScope::queue, queue_, std::nullopt});
  enqueue(jobs);
  for (int count = 0; count < workers; ++count) {
    WorkerSetup setup;
    setup.queues = {{queue_, 20}};
    setup.handlers = {handler_};
    workers_.push_back(&scene_.add_worker(std::move(setup)));
  }
  scene_.world.run_for(2 * second);
}

void Steady::enqueue(int jobs) {
  while (jobs > 0) {
    std::vector<NewJob> some;
    for (; jobs > 0 && some.size() < 100; --jobs) {
      some.push_back(producer_->job({}, queue_));
      some.back().handler = handler_;
    }
    producer_->enqueue(std::move(some));
  }
}

void Steady::ask(const Request& request) {
  const auto answer = operator_->ask(request);
  if (!answer || !std::holds_alternative<LimitState>(*answer)) {
    scene_.world.fail("L8", "an operator is not heard");
  }
}

void Steady::limit(const LimitName& name, const Limit& limit) {
  ask(SetLimit{name.first, name.second, limit, SetAs::operated, std::nullopt});
  ask(Resume{LimitScope::queue, queue_});
}

double Steady::starts_in(Duration span) {
  const std::int64_t before = starts();
  scene_.world.run_for(span);
  return static_cast<double>(starts() - before);
}

std::vector<std::int64_t> Steady::starts_of_workers() const {
  std::vector<std::int64_t> counts;
  for (const Worker* worker : workers_) counts.push_back(scene_.checker.started_by(worker->session()));
  return counts;
}

void Steady::end() {
  for (Worker* worker : workers_) worker->kill();
}

}  // namespace stint::sim
