// BenchDealer: one connection of a load driver to a front door. Costs as little as a client can: nothing is
// sent twice, nothing is watched. Used by one thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "nodes/runtime/multipart.hpp"
#include "protocol/frames.hpp"
#include "protocol/messages.hpp"
#include "protocol/result.hpp"

namespace stint {

class BenchDealer {
 public:
  // `endpoint` must have passed check_connect_endpoint(). Connects in the background.
  BenchDealer(zmq::context_t& context, const std::string& endpoint);

  // Never blocks: what does not go out yet is kept.
  void send(std::string_view type, std::string_view body);
  void send(const Request& request);

  // The next answer; it is valid until the following one is taken. Nothing: none came in the time.
  std::optional<ParsedFrames> receive(std::int64_t within_ms);
  // One that has come.
  std::optional<ParsedFrames> take();

  // Of an answer. Errors: no_server, it cannot be read.
  static Result<Answer, Failure> decode(const ParsedFrames& frames);

  // The next answer, if it is of this kind. Errors: no_server, there is none or it is another.
  template <class Kind>
  Result<Kind, Failure> expect(std::int64_t within_ms);

  // Readable when something has come since nothing was left to take.
  int descriptor() const { return socket_.get(zmq::sockopt::fd); }

 private:
  Result<Answer, Failure> await(std::int64_t within_ms);

  zmq::socket_t socket_;
  Multipart incoming_;
};

template <class Kind>
Result<Kind, Failure> BenchDealer::expect(std::int64_t within_ms) {
  Result<Answer, Failure> answer = await(within_ms);
  if (!answer) return answer.error();
  if (Kind* kind = std::get_if<Kind>(&*answer)) return std::move(*kind);
  if (const Error* error = std::get_if<Error>(&*answer)) {
    return Failure{.status = exit_status_of(error->code), .message = error->message};
  }
  return Failure{.status = ExitStatus::no_server, .message = "the server answered something else"};
}

}  // namespace stint
