// ServerClient: a command's conversation with a server: requests out of one DEALER, answers matched by their
// correlation. Used by one thread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "nodes/cli/exit_status.hpp"
#include "protocol/messages.hpp"
#include "protocol/result.hpp"

namespace stint {

struct ServerOptions {
  std::string endpoint = "tcp://127.0.0.1:7611";
  std::int64_t wait_ms = 5'000;  // how long a command waits for an answer
};

class ServerClient {
 public:
  struct Answered {
    std::uint64_t request = 0;  // as send() numbered it
    Answer answer;
  };

  // `endpoint` must have passed check_connect_endpoint(). Connects in the background.
  explicit ServerClient(ServerOptions options);
  ~ServerClient();
  ServerClient(const ServerClient&) = delete;
  ServerClient& operator=(const ServerClient&) = delete;

  // Sends a request, which is sent again by itself when the connection was lost on the way, and when the
  // server asks for that (`retry_in_ms`). So it must be safe to repeat: an Enqueue has a batch_key.
  std::uint64_t send(const Request& request);

  // The next answer to any open request; waits for it at most `wait_ms`. Errors: no_server, with what is
  // known about why. A server's `error` is an answer like any other.
  Result<Answered, Failure> receive();

  // One request and its answer; a server's `error` is a failure.
  Result<Answer, Failure> ask(const Request& request);

  // The same, where the answer can only be of one kind.
  template <class Kind>
  Result<Kind, Failure> ask_for(const Request& request);

  const std::string& endpoint() const;

 private:
  struct Connection;
  std::unique_ptr<Connection> connection_;
};

// The words for a server's refusal: `not_found: no job 17`.
Failure refusal(const Error& error);

template <class Kind>
Result<Kind, Failure> ServerClient::ask_for(const Request& request) {
  Result<Answer, Failure> answer = ask(request);
  if (!answer) return answer.error();
  if (Kind* kind = std::get_if<Kind>(&*answer)) return std::move(*kind);
  return Failure{.status = ExitStatus::no_server,
                 .message = "the server at " + endpoint() + " answered something else than was asked"};
}

}  // namespace stint
