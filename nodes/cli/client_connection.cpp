#include "nodes/cli/client_connection.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>
#include <zmq.hpp>

#include "nodes/config/limit_text.hpp"
#include "protocol/codec.hpp"
#include "protocol/frames.hpp"
#include "protocol/time_words.hpp"

namespace stint {

namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* monitor_endpoint = "inproc://stint.client.monitor";

// What this connection's life has shown, to say why nobody answers.
struct LinkFacts {
  bool ever_connected = false;
  bool ever_greeted = false;  // the ZeroMQ handshake was completed
  bool greeted = false;       // and the connection stands
};

// A server may be configured with larger bounds than the defaults: only the message itself is bounded here.
Bounds bounds_of_any_server() {
  Bounds bounds;
  bounds.payload_bytes = bounds.result_bytes = bounds.meta_bytes = Bounds::message_bytes;
  bounds.jobs_per_request = bounds.batch_max = Bounds::message_values;
  return bounds;
}

void send_frame(zmq::socket_t& socket, std::string_view bytes, zmq::send_flags flags) {
  socket.send(zmq::buffer(bytes.data(), bytes.size()), flags);
}

}  // namespace

struct ServerClient::Connection {
  struct OpenRequest {
    std::string type;
    std::string body;
    std::optional<Clock::time_point> send_again_at{};
    std::optional<Error> put_off{};  // why the server wants it later
  };

  explicit Connection(ServerOptions server);
  ~Connection();

  void transmit(std::uint64_t number, const OpenRequest& request);
  void transmit_due(Clock::time_point now);
  void watch_link();
  void link_event(int event);
  // The next answer that has come and is final; nothing when there is none (yet).
  std::optional<Result<Answered, Failure>> take_answer(Clock::time_point deadline);
  std::optional<Result<Answered, Failure>> read_answer(const std::vector<zmq::message_t>& frames,
                                                       Clock::time_point deadline);
  Clock::time_point next_wake(Clock::time_point deadline) const;
  Result<Answered, Failure> give_up();
  Failure no_answer() const;

  ServerOptions options;
  zmq::context_t context;
  zmq::socket_t dealer;
  zmq::socket_t monitor;
  std::map<std::uint64_t, OpenRequest> open;
  std::uint64_t sent = 0;
  LinkFacts link;
};

ServerClient::Connection::Connection(ServerOptions server)
    : options(std::move(server)),
      context(1),
      dealer(context, zmq::socket_type::dealer),
      monitor(context, zmq::socket_type::pair) {
  dealer.set(zmq::sockopt::linger, 0);
  monitor.set(zmq::sockopt::linger, 0);
  dealer.set(zmq::sockopt::maxmsgsize, Bounds::message_bytes + 1024);
  dealer.set(zmq::sockopt::reconnect_ivl, 50);
  dealer.set(zmq::sockopt::reconnect_ivl_max, 500);
  if (options.endpoint.find('[') != std::string::npos) dealer.set(zmq::sockopt::ipv6, true);
  zmq_socket_monitor(dealer.handle(), monitor_endpoint, ZMQ_EVENT_ALL);
  monitor.connect(monitor_endpoint);
  dealer.connect(options.endpoint);
}

ServerClient::Connection::~Connection() { zmq_socket_monitor(dealer.handle(), nullptr, 0); }

void ServerClient::Connection::transmit(std::uint64_t number, const OpenRequest& request) {
  send_frame(dealer, wire_magic, zmq::send_flags::sndmore);
  send_frame(dealer, request.type, zmq::send_flags::sndmore);
  send_frame(dealer, std::to_string(number), zmq::send_flags::sndmore);
  send_frame(dealer, request.body, zmq::send_flags::none);
}

void ServerClient::Connection::transmit_due(Clock::time_point now) {
  for (auto& [number, request] : open) {
    if (!request.send_again_at || *request.send_again_at > now) continue;
    request.send_again_at.reset();
    transmit(number, request);
  }
}

void ServerClient::Connection::link_event(int event) {
  switch (event) {
    case ZMQ_EVENT_CONNECTED:
      link.ever_connected = true;
      break;
    case ZMQ_EVENT_HANDSHAKE_SUCCEEDED:
      // What was sent over the connection before may be lost with it, the answers too (rule D9).
      if (link.ever_greeted) {
        for (const auto& [number, request] : open) {
          if (!request.send_again_at) transmit(number, request);
        }
      }
      link.ever_greeted = link.greeted = true;
      break;
    case ZMQ_EVENT_DISCONNECTED:
      link.greeted = false;
      break;
    default:
      break;
  }
}

void ServerClient::Connection::watch_link() {
  zmq::message_t event;
  while (monitor.recv(event, zmq::recv_flags::dontwait)) {
    std::uint16_t number = 0;
    if (event.size() >= sizeof number) std::memcpy(&number, event.data(), sizeof number);
    zmq::message_t address;
    static_cast<void>(monitor.recv(address, zmq::recv_flags::none));
    link_event(number);
  }
}

std::optional<Result<ServerClient::Answered, Failure>> ServerClient::Connection::take_answer(
    Clock::time_point deadline) {
  while (true) {
    std::vector<zmq::message_t> frames(1);
    if (!dealer.recv(frames.back(), zmq::recv_flags::dontwait)) return std::nullopt;
    while (frames.back().more()) {
      frames.emplace_back();
      static_cast<void>(dealer.recv(frames.back(), zmq::recv_flags::none));
    }
    if (auto answered = read_answer(frames, deadline)) return answered;
  }
}

std::optional<Result<ServerClient::Answered, Failure>> ServerClient::Connection::read_answer(
    const std::vector<zmq::message_t>& frames, Clock::time_point deadline) {
  std::vector<std::string_view> views;
  for (const zmq::message_t& frame : frames) views.push_back(frame.to_string_view());
  const auto not_understood = [&](const std::string& why) {
    return Failure{
        .status = ExitStatus::no_server,
        .message = "what answers at " + options.endpoint + " is not a stint server of this version: " + why};
  };
  const auto parsed = parse_frames(views);
  if (!parsed) return not_understood(parsed.error().error.message);
  const auto asked = std::find_if(open.begin(), open.end(), [&](const auto& request) {
    return std::to_string(request.first) == parsed->correlation;
  });
  if (asked == open.end()) return std::nullopt;  // answered before: the request was sent twice

  Result<Answer> answer = decode_answer(parsed->type, parsed->body, bounds_of_any_server());
  if (!answer) return not_understood(answer.error().message);
  if (const Error* error = std::get_if<Error>(&*answer); error != nullptr && error->retry_in_ms) {
    const auto again_at =
        Clock::now() + std::chrono::milliseconds(std::max<std::int64_t>(1, *error->retry_in_ms));
    if (again_at < deadline) {
      asked->second.send_again_at = again_at;
      asked->second.put_off = *error;
      return std::nullopt;
    }
  }
  Answered answered{.request = asked->first, .answer = std::move(*answer)};
  open.erase(asked);
  return answered;
}

Clock::time_point ServerClient::Connection::next_wake(Clock::time_point deadline) const {
  Clock::time_point wake = deadline;
  for (const auto& [number, request] : open) {
    if (request.send_again_at) wake = std::min(wake, *request.send_again_at);
  }
  return wake;
}

// The time is over. A request that the server put off ends with what the server said of it.
Result<ServerClient::Answered, Failure> ServerClient::Connection::give_up() {
  for (auto request = open.begin(); request != open.end(); ++request) {
    if (!request->second.put_off) continue;
    Answered answered{.request = request->first, .answer = *request->second.put_off};
    open.erase(request);
    return answered;
  }
  return no_answer();
}

Failure ServerClient::Connection::no_answer() const {
  const std::string within = " within " + span_text(options.wait_ms);
  if (link.greeted) {
    return {.status = ExitStatus::no_server,
            .message = "the server at " + options.endpoint + " did not answer" + within,
            .hint = "  It may be overloaded or stopped; --wait gives it more time."};
  }
  if (link.ever_greeted) {
    return {.status = ExitStatus::no_server,
            .message = "the connection to " + options.endpoint + " was lost and did not come back" + within,
            .hint = "  Whether the request was carried out is not known."};
  }
  if (link.ever_connected) {
    return {.status = ExitStatus::no_server,
            .message = "what listens at " + options.endpoint + " did not take the connection" + within,
            .hint = "  Is it a stint node? If it has keys, it does not accept this program's."};
  }
  return {.status = ExitStatus::no_server,
          .message = "nothing listens at " + options.endpoint + ", is a node running?",
          .hint = "  Start one with `stint node`, or say where it is with --server or STINT_SERVER."};
}

ServerClient::ServerClient(ServerOptions options)
    : connection_(std::make_unique<Connection>(std::move(options))) {}

ServerClient::~ServerClient() = default;

const std::string& ServerClient::endpoint() const { return connection_->options.endpoint; }

std::uint64_t ServerClient::send(const Request& request) {
  const std::uint64_t number = ++connection_->sent;
  const auto [opened, is_new] = connection_->open.emplace(
      number, Connection::OpenRequest{.type = std::string(wire_type(request)), .body = encode(request)});
  static_cast<void>(is_new);
  connection_->transmit(number, opened->second);
  return number;
}

Result<ServerClient::Answered, Failure> ServerClient::receive() {
  const auto deadline = Clock::now() + std::chrono::milliseconds(connection_->options.wait_ms);
  while (true) {
    connection_->watch_link();
    connection_->transmit_due(Clock::now());
    if (auto answered = connection_->take_answer(deadline)) return *std::move(answered);
    const auto now = Clock::now();
    if (now >= deadline) return connection_->give_up();
    const auto rest = std::chrono::ceil<std::chrono::milliseconds>(connection_->next_wake(deadline) - now);
    std::array<zmq::pollitem_t, 2> items{{{connection_->dealer.handle(), 0, ZMQ_POLLIN, 0},
                                          {connection_->monitor.handle(), 0, ZMQ_POLLIN, 0}}};
    zmq::poll(items.data(), items.size(), std::max(rest, std::chrono::milliseconds(0)));
  }
}

Result<Answer, Failure> ServerClient::ask(const Request& request) {
  send(request);
  Result<Answered, Failure> answered = receive();
  if (!answered) return answered.error();
  if (const Error* error = std::get_if<Error>(&answered->answer)) return refusal(*error);
  return std::move(answered->answer);
}

namespace {

// What the user typed has no position in a request, and who named one thing knows what is meant.
std::string field_for_people(std::string_view field) {
  constexpr std::string_view first_job = "jobs[0].";
  if (field == "id" || field == "name") return "";
  if (field.starts_with(first_job)) field.remove_prefix(first_job.size());
  return in_config_words(std::string(field));
}

}  // namespace

Failure refusal(const Error& error) {
  std::string message = std::string(to_string(error.code)) + ": " + in_config_words(error.message);
  if (const std::string field = field_for_people(error.field); !field.empty()) message += " (" + field + ")";
  return {.status = exit_status_of(error.code), .message = message};
}

}  // namespace stint
