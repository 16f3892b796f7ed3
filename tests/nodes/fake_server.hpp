// FakeServer: a front door that answers as a test wants, on a port of its own. And `stint` run in this
// process.
#pragma once

#include <atomic>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>
#include <zmq.hpp>

#include "nodes/cli/exit_status.hpp"
#include "protocol/messages.hpp"

namespace stint {

class FakeServer {
 public:
  // Called on the server's thread. Nothing: the request is left without an answer.
  using Answerer = std::function<std::optional<Answer>(const Request&)>;

  explicit FakeServer(Answerer answerer, const std::string& endpoint = "tcp://127.0.0.1:*");
  ~FakeServer();

  const std::string& endpoint() const { return endpoint_; }
  // What has arrived so far, repeated requests too.
  std::vector<Request> requests() const;
  template <class Kind>
  std::vector<Kind> requests_of() const;

 private:
  void serve();
  void answer_one();

  Answerer answerer_;
  zmq::context_t context_{1};
  zmq::socket_t router_;
  std::string endpoint_;
  mutable std::mutex mutex_;
  std::vector<Request> requests_;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

// Answers enqueue, hello and ping as a server would; nothing else.
std::optional<Answer> plain_answer(const Request& request);

struct ProgramRun {
  ExitStatus status = ExitStatus::done;
  std::string out;
  std::string err;
};

// `stint` with these arguments, on no terminal.
ProgramRun run_stint(std::vector<std::string> arguments);

// A file that is gone with this object.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content);
  ~TemporaryFile();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

template <class Kind>
std::vector<Kind> FakeServer::requests_of() const {
  std::vector<Kind> found;
  for (const Request& request : requests()) {
    if (const Kind* kind = std::get_if<Kind>(&request)) found.push_back(*kind);
  }
  return found;
}

}  // namespace stint
