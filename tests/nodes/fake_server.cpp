#include "tests/nodes/fake_server.hpp"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>

#include "nodes/cli/commands.hpp"
#include "protocol/codec.hpp"
#include "protocol/frames.hpp"

namespace stint {

FakeServer::FakeServer(Answerer answerer, const std::string& endpoint)
    : answerer_(std::move(answerer)), router_(context_, zmq::socket_type::router) {
  router_.set(zmq::sockopt::linger, 0);
  router_.set(zmq::sockopt::rcvtimeo, 20);
  router_.bind(endpoint);
  endpoint_ = router_.get(zmq::sockopt::last_endpoint);
  thread_ = std::thread([this] { serve(); });
}

FakeServer::~FakeServer() {
  stopping_ = true;
  thread_.join();
}

std::vector<Request> FakeServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void FakeServer::serve() {
  while (!stopping_) answer_one();
}

void FakeServer::answer_one() {
  std::vector<zmq::message_t> frames(1);
  if (!router_.recv(frames.back())) return;
  while (frames.back().more()) {
    frames.emplace_back();
    static_cast<void>(router_.recv(frames.back()));
  }
  std::vector<std::string_view> views;
  for (std::size_t i = 1; i < frames.size(); ++i) views.push_back(frames[i].to_string_view());
  const auto parsed = parse_frames(views);
  if (!parsed) return;
  auto decoded = decode_request(parsed->type, parsed->body, Bounds{});
  std::optional<Answer> answer;
  if (!decoded) {
    answer = decoded.error();
  } else {
    answer = answerer_(decoded->request);
    const std::lock_guard lock(mutex_);
    requests_.push_back(std::move(decoded->request));
  }
  if (!answer) return;
  router_.send(frames.front(), zmq::send_flags::sndmore);
  for (const std::string_view frame : {wire_magic, wire_type(*answer), parsed->correlation}) {
    router_.send(zmq::buffer(frame.data(), frame.size()), zmq::send_flags::sndmore);
  }
  router_.send(zmq::message_t(encode(*answer)), zmq::send_flags::none);
}

std::optional<Answer> plain_answer(const Request& request) {
  if (const Enqueue* enqueue = std::get_if<Enqueue>(&request)) {
    Enqueued enqueued;
    for (std::size_t i = 0; i < enqueue->jobs.size(); ++i) enqueued.ids.push_back(static_cast<JobId>(i) + 1);
    return enqueued;
  }
  if (std::holds_alternative<Hello>(request)) {
    Welcome welcome;
    welcome.server = "fake";
    welcome.bounds.jobs_per_request = 1000;
    welcome.bounds.payload_bytes = 1 << 20;
    welcome.bounds.meta_bytes = 4 << 10;
    return welcome;
  }
  if (std::holds_alternative<Ping>(request)) {
    return Pong{.server = "fake", .version = "0.1.0", .epoch = 3, .ready = true};
  }
  return Error{.code = ErrorCode::unknown_type, .message = "not in this test"};
}

ProgramRun run_stint(std::vector<std::string> arguments) {
  char* out = nullptr;
  char* err = nullptr;
  std::size_t out_size = 0;
  std::size_t err_size = 0;
  Console console;
  console.out = open_memstream(&out, &out_size);
  console.err = open_memstream(&err, &err_size);
  std::vector<const char*> words{"stint"};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());

  ProgramRun program;
  program.status = run_command_line(static_cast<int>(words.size()), words.data(), console);
  std::fclose(console.out);
  std::fclose(console.err);
  program.out.assign(out, out_size);
  program.err.assign(err, err_size);
  std::free(out);
  std::free(err);
  return program;
}

TemporaryFile::TemporaryFile(const std::string& content) : path_("/tmp/stint_test_XXXXXX") {
  const int fd = mkstemp(path_.data());
  std::FILE* const file = fdopen(fd, "w");
  std::fwrite(content.data(), 1, content.size(), file);
  std::fclose(file);
}

TemporaryFile::~TemporaryFile() { std::remove(path_.c_str()); }

}  // namespace stint
