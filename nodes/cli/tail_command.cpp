#include <chrono>
#include <optional>
#include <thread>

#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/views.hpp"

namespace stint {

namespace {

constexpr std::int64_t poll_ms = 10'000;  // how long the server waits for the next event
constexpr std::chrono::milliseconds before_trying_again{200};

// Reads the log from one number on. Every answer tells where to read on, so nothing is missed and nothing
// comes twice, whatever happens to the server and to the connection in between.
class Follower {
 public:
  Follower(const TailCommand& command, const Console& console)
      : command_(command), console_(console), request_(command.filter) {}

  ExitStatus run() {
    if (const auto failure = find_place()) return fail(*failure);
    while (true) {
      if (std::ferror(console_.out) != 0) return ExitStatus::io;
      if (const auto failure = read_on()) return fail(*failure);
    }
  }

 private:
  // Where the log stands, and from where it is to be read.
  std::optional<Failure> find_place() {
    ServerClient client(command_.client.server);
    const auto now = client.ask_for<Events>(request_);
    if (!now) return now.error();
    const std::int64_t oldest = now->oldest_seq > 0 ? now->oldest_seq : now->next_seq;
    request_.from_seq = command_.from_seq.value_or(now->next_seq);
    if (request_.from_seq == 0) request_.from_seq = oldest;
    request_.log = now->log;
    request_.wait_ms = poll_ms;
    connect();
    return std::nullopt;
  }

  std::optional<Failure> read_on() {
    client_->send(request_);
    auto answered = client_->receive();
    if (!answered) return lost(answered.error());
    if (const Error* error = std::get_if<Error>(&answered->answer)) {
      // One with retry_in_ms is of a server that ends, or of a node that is away for a while.
      return error->retry_in_ms ? lost(refusal(*error)) : refused(*error);
    }
    const Events* const events = std::get_if<Events>(&answered->answer);
    if (events == nullptr)
      return lost({.status = ExitStatus::no_server, .message = "not the answer to what was asked"});
    found();
    print(*events);
    request_.from_seq = events->next_seq;
    return std::nullopt;
  }

  void print(const Events& events) {
    if (events.events.empty()) return;
    for (const EventMessage& event : events.events)
      console_.print(command_.client.json ? json_lines_of(event) : event_lines(event, console_));
    std::fflush(console_.out);
  }

  // A new connection takes nothing over from the old one, whose answer may still come.
  void connect() {
    ServerOptions options = command_.client.server;
    options.wait_ms += poll_ms;
    client_.emplace(options);
  }

  std::optional<Failure> lost(Failure why) {
    if (!is_lost_) {
      why.message += "; going on from event " + std::to_string(*request_.from_seq) + " when it is back";
      why.hint.clear();
      console_.complain(why);
    }
    is_lost_ = true;
    std::this_thread::sleep_for(before_trying_again);
    connect();
    return std::nullopt;
  }

  void found() {
    if (is_lost_) console_.note("stint: the server is back");
    is_lost_ = false;
  }

  Failure refused(const Error& error) const {
    Failure failure = refusal(error);
    if (error.code != ErrorCode::gone) return failure;
    failure.hint = "  `stint tail --from 0` begins with the oldest event that is kept.";
    return failure;
  }

  ExitStatus fail(const Failure& failure) const {
    console_.complain(failure);
    return failure.status;
  }

  const TailCommand& command_;
  const Console& console_;
  ReadEvents request_;
  std::optional<ServerClient> client_;
  bool is_lost_ = false;
};

}  // namespace

ExitStatus run(const TailCommand& command, const Console& console) {
  return Follower(command, console).run();
}

}  // namespace stint
