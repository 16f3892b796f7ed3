#include "nodes/config/endpoint.hpp"

#include <algorithm>
#include <charconv>
#include <ifaddrs.h>
#include <netdb.h>
#include <optional>
#include <string>
#include <sys/socket.h>

namespace stint {

namespace {

constexpr std::string_view tcp = "tcp://";
constexpr std::string_view ipc = "ipc://";
constexpr std::size_t longest_ipc_path = 107;  // of a Unix socket's address

struct HostAndPort {
  std::string_view host;
  std::string_view port;
};

std::optional<HostAndPort> split_tcp(std::string_view endpoint) {
  if (!endpoint.starts_with(tcp)) return std::nullopt;
  endpoint.remove_prefix(tcp.size());
  const std::size_t colon = endpoint.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  return HostAndPort{endpoint.substr(0, colon), endpoint.substr(colon + 1)};
}

bool is_port(std::string_view text) {
  int port = 0;
  const auto [rest, fault] = std::from_chars(text.data(), text.data() + text.size(), port);
  return fault == std::errc{} && rest == text.data() + text.size() && port >= 1 && port <= 65'535;
}

bool is_host(std::string_view host) {
  if (host.starts_with('[')) {
    if (host.size() < 4 || !host.ends_with(']')) return false;
    host = host.substr(1, host.size() - 2);
    return std::all_of(host.begin(), host.end(), [](char c) {
      return std::string_view("0123456789abcdefABCDEF:.%").find(c) != std::string_view::npos;
    });
  }
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

// As it is written: no name is looked up.
bool is_address(std::string host) {
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  hints.ai_family = AF_INET;
  if (host.starts_with('[') && host.ends_with(']')) {
    hints.ai_family = AF_INET6;
    host = host.substr(1, host.size() - 2);
  }
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
  freeaddrinfo(found);
  return true;
}

// ZeroMQ takes the first IPv4 address of an interface.
bool is_interface(std::string_view host) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return false;
  bool is_found = false;
  for (const ifaddrs* one = all; one != nullptr && !is_found; one = one->ifa_next) {
    is_found = one->ifa_addr != nullptr && one->ifa_addr->sa_family == AF_INET && host == one->ifa_name;
  }
  freeifaddrs(all);
  return is_found;
}

enum class Purpose { connect, listen };

Status check(std::string_view endpoint, Purpose purpose) {
  const auto refuse = [&](const char* expected) {
    return Error{.code = ErrorCode::bad_message,
                 .message = "'" + std::string(endpoint) + "' is not an endpoint; expected " + expected};
  };
  if (endpoint.starts_with(ipc)) {
    const std::size_t path = endpoint.size() - ipc.size();
    if (path >= 1 && path <= longest_ipc_path) return Done{};
    return refuse("a path of 1 to 107 bytes after ipc://");
  }
  const auto parts = split_tcp(endpoint);
  if (!parts) return refuse("one like tcp://127.0.0.1:7611 or ipc:///run/stint.sock");
  if (!is_port(parts->port)) return refuse("a port from 1 to 65535 after the last ':'");
  if (purpose == Purpose::listen) {
    if (parts->host == "*" || is_address(std::string(parts->host)) || is_interface(parts->host))
      return Done{};
    return refuse("an address or a network interface of this machine, or '*', like tcp://127.0.0.1:7611");
  }
  if (parts->host == "*") return refuse("the host to connect to, not '*'");
  if (!is_host(parts->host)) return refuse("a host name, an IPv4 address, or an IPv6 address in [ ]");
  return Done{};
}

}  // namespace

Status check_connect_endpoint(std::string_view endpoint) { return check(endpoint, Purpose::connect); }

Status check_listen_endpoint(std::string_view endpoint) { return check(endpoint, Purpose::listen); }

bool is_loopback(std::string_view endpoint) {
  if (endpoint.starts_with(ipc)) return true;
  const auto parts = split_tcp(endpoint);
  if (!parts) return false;
  const std::string_view host = parts->host;
  const bool is_127 =
      host.starts_with("127.") && host.find_first_not_of("0123456789.") == std::string_view::npos;
  return is_127 || host == "localhost" || host == "lo" || host == "[::1]";
}

}  // namespace stint
