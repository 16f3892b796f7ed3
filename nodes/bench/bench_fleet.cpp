#include "nodes/bench/bench_fleet.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace stint {

namespace {

constexpr int patience_s = 10;

Failure failure(std::string message) {
  return {.status = ExitStatus::cannot_create, .message = std::move(message)};
}

// Free at this moment: the kernel gave it out.
Result<std::string, Failure> free_endpoint() {
  const Descriptor probe(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (!probe.is_open() || bind(probe.get(), generic, size) != 0 ||
      getsockname(probe.get(), generic, &size) != 0) {
    return failure("cannot find a free port: " + system_error("bind").message);
  }
  return "tcp://127.0.0.1:" + std::to_string(ntohs(address.sin_port));
}

bool has_ended(const ChildProcess& process, int within_ms) {
  pollfd ended{process.ended().get(), POLLIN, 0};
  return poll(&ended, 1, within_ms) > 0;
}

}  // namespace

Result<std::unique_ptr<BenchFleet>, Failure> BenchFleet::start(int limiters,
                                                               const std::string& storage_config) {
  std::unique_ptr<BenchFleet> fleet(new BenchFleet);
  fleet->storage_config_ = storage_config;
  fleet->has_own_nodes_ = true;
  if (auto opened = fleet->open(limiters); !opened) return opened.error();
  if (auto ready = fleet->wait_until_ready(); !ready) return ready.error();
  return fleet;
}

Result<std::unique_ptr<BenchFleet>, Failure> BenchFleet::beside(const std::string& server) {
  std::unique_ptr<BenchFleet> fleet(new BenchFleet);
  if (auto made = fleet->make_folder(); !made) return made.error();
  fleet->doors_.push_back(server);
  return fleet;
}

BenchFleet::~BenchFleet() {
  stop("", patience_s);
  std::error_code ignored;
  if (!folder_.empty()) std::filesystem::remove_all(folder_, ignored);
}

Result<Done, Failure> BenchFleet::make_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "stint-bench-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) return failure(system_error("cannot make a temporary folder").message);
  folder_ = name;
  return Done{};
}

Result<Done, Failure> BenchFleet::open(int limiters) {
  if (auto made = make_folder(); !made) return made;
  std::string cluster;
  for (int node = 0; node <= limiters; ++node) {
    auto door = free_endpoint();
    if (!door) return door.error();
    doors_.push_back(*door);
  }
  if (limiters > 0) {
    cluster = "[cluster]\nstorage = \"" + doors_[0] + "\"\nlimiters = { ";
    for (int node = 1; node <= limiters; ++node) {
      cluster += (node > 1 ? ", " : "") + ("limiter-" + std::to_string(node)) + " = \"" +
                 doors_[static_cast<std::size_t>(node)] + "\"";
    }
    cluster += " }\n";
  }
  const std::string roles = limiters > 0 ? "\"storage\"" : "\"storage\", \"limiter\"";
  if (auto node = launch_node(storage_node, roles, doors_[0], cluster); !node) return node;
  for (int node = 1; node <= limiters; ++node) {
    auto limiter = launch_node("limiter-" + std::to_string(node), "\"limiter\"",
                               doors_[static_cast<std::size_t>(node)], cluster);
    if (!limiter) return limiter;
  }
  return Done{};
}

Result<Done, Failure> BenchFleet::launch_node(const std::string& name, const std::string& roles,
                                              const std::string& door, const std::string& cluster) {
  const std::filesystem::path config = folder_ / (name + ".toml");
  std::ofstream text(config);
  text << "[node]\nname = \"" << name << "\"\nroles = [" << roles << "]\nfront_door = \"" << door << "\"\n";
  if (name == storage_node) {
    const auto events = free_endpoint();
    if (!events) return events.error();
    text << "events = \"" << *events << "\"\n[storage]\nfile = \"" << (folder_ / "stint.db").string()
         << "\"\n"
         << storage_config_;
  }
  text << cluster;
  text.close();
  if (!text) return failure("cannot write " + config.string());
  return launch(name, {"node", "--config", config.string()});
}

Result<Done, Failure> BenchFleet::launch(const std::string& name, std::vector<std::string> arguments) {
  const Descriptor nothing(::open("/dev/null", O_RDWR | O_CLOEXEC));
  const std::filesystem::path path = folder_ / (name + ".log");
  const Descriptor log(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  if (!log.is_open()) return failure(system_error("cannot write " + path.string()).message);
  arguments.insert(arguments.begin(), std::filesystem::read_symlink("/proc/self/exe").string());
  std::vector<std::string> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.emplace_back(*variable);
  auto process =
      ChildProcess::start(arguments, environment, {nothing.get(), log.get(), log.get(), nothing.get()});
  if (!process) return failure(process.error().message);
  children_.push_back({name, std::move(*process)});
  return Done{};
}

Result<Done, Failure> BenchFleet::wait_until_ready() const {
  for (std::size_t node = 0; node < doors_.size(); ++node) {
    ServerClient client({.endpoint = doors_[node], .wait_ms = 200});
    for (int tries = 0;; ++tries) {
      auto pong = client.ask_for<Pong>(Ping{});
      if (pong && pong->ready) break;
      const Child& child = children_[node];
      if (has_ended(child.process, 50) || tries >= patience_s * 4) {
        return failure("node " + child.name + " did not start: " + last_line(child.name));
      }
    }
  }
  return Done{};
}

bool BenchFleet::is_running(const std::string& name) const {
  return std::any_of(children_.begin(), children_.end(),
                     [&](const Child& child) { return child.name == name && !has_ended(child.process, 0); });
}

int BenchFleet::process_id(const std::string& name) const {
  for (const Child& child : children_) {
    if (child.name == name) return child.process.group();
  }
  return 0;
}

std::string BenchFleet::last_line(const std::string& name) const {
  std::ifstream log(folder_ / (name + ".log"));
  std::string last;
  for (std::string line; std::getline(log, line) && !log.eof();) last = line;
  return last;
}

void BenchFleet::kill_storage() {
  for (auto child = children_.begin(); child != children_.end(); ++child) {
    if (child->name != storage_node) continue;
    child->process.signal_group(SIGKILL);
    child->process.wait();
    children_.erase(child);
    return;
  }
}

Result<Done, Failure> BenchFleet::restart_storage() {
  return launch(storage_node, {"node", "--config", (folder_ / storage_node).string() + ".toml"});
}

void BenchFleet::stop(const std::string& names, int patience) {
  std::vector<Child> staying;
  std::vector<Child> leaving;
  for (Child& child : children_) {
    (child.name.rfind(names, 0) == 0 ? leaving : staying).push_back(std::move(child));
  }
  children_ = std::move(staying);
  for (const Child& child : leaving) child.process.signal_group(SIGTERM);
  for (Child& child : leaving) {
    if (!has_ended(child.process, patience * 1'000)) child.process.signal_group(SIGKILL);
    child.process.wait();
  }
}

}  // namespace stint
