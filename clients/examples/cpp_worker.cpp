// A worker in C++ with stint's own library: handlers are functions, each run on a thread.
//
//   stint node
//   build/release/worker_example tcp://127.0.0.1:7611
//   stint enqueue upper "make me big"
#include <cctype>
#include <chrono>
#include <string>
#include <thread>

#include "nodes/worker.hpp"

namespace {

stint::HandlerResult upper(const stint::LeasedJob& job, stint::RunContext&) {
  std::string text = job.payload.bytes;
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return stint::HandlerResult::completed(text);
}

// A long job tells how far it is, and ends early when it is asked to.
stint::HandlerResult count(const stint::LeasedJob&, stint::RunContext& run) {
  for (int percent = 0; percent < 100; ++percent) {
    if (run.stop_requested())
      return stint::HandlerResult::failed("stopped at " + std::to_string(percent) + "%");
    run.report_progress(percent);
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  return stint::HandlerResult::completed("counted");
}

// Asks an API that says when it has had enough: nobody asks again before it wants to be asked.
stint::HandlerResult call(const stint::LeasedJob& job, stint::RunContext&) {
  const bool had_enough = job.payload.bytes == "429";
  if (had_enough) return stint::HandlerResult::snoozed(10'000).and_pause(stint::LimitScope::handler, 10'000);
  return stint::HandlerResult::completed("called");
}

}  // namespace

int main(int argc, char** argv) {
  stint::WorkerSettings settings;
  settings.queues = {{"default", 4}};
  if (argc > 1) settings.servers = {argv[1]};
  if (argc > 2) settings.max_jobs = std::stoll(argv[2]);
  stint::Worker worker(settings);
  worker.handle("upper", upper);
  worker.handle("count", count);
  // At most 60 a minute, over all workers wherever they are.
  worker.handle("call", call, {}, stint::at_most(60, 60'000));
  return worker.run();
}
