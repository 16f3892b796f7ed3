// Decoding an `enqueue` of 100 jobs with 100-byte payloads: stint's codec against msgpack-cxx's
// MSGPACK_DEFINE_MAP, in alternating rounds so that both see the same machine. Prints the medians; `--json`
// for programs.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <msgpack.hpp>
#include <string_view>
#include <vector>

#include "protocol/codec.hpp"

namespace {

constexpr int jobs = 100;
constexpr int rounds = 11;
constexpr int decodes_per_round = 2'000;

struct MappedJob {
  std::string handler;
  std::string queue;
  std::vector<char> payload;
  int priority = 5;
  MSGPACK_DEFINE_MAP(handler, queue, payload, priority)
};

struct MappedEnqueue {
  std::vector<MappedJob> jobs;
  std::string batch_key;
  MSGPACK_DEFINE_MAP(jobs, batch_key)
};

std::string enqueue_body() {
  stint::Enqueue enqueue;
  for (int i = 0; i < jobs; ++i) {
    stint::NewJob& job = enqueue.jobs.emplace_back();
    job.handler = "send_email";
    job.queue = "email";
    job.payload.bytes.assign(100, static_cast<char>(i));
    job.priority = 3;
  }
  enqueue.batch_key = "0123456789abcdef";
  return stint::encode(stint::Request(std::move(enqueue)));
}

std::size_t decode_with_stint(std::string_view body) {
  const stint::Bounds bounds;
  const auto decoded = stint::decode_request("enqueue", body, bounds);
  return decoded ? std::get_if<stint::Enqueue>(&decoded->request)->jobs.size() : 0;
}

std::size_t decode_with_map(std::string_view body) {
  return msgpack::unpack(body.data(), body.size())->as<MappedEnqueue>().jobs.size();
}

// Nanoseconds a job over one round, or below 0 if a decode failed.
template <class Decode>
double time_round(Decode decode, std::string_view body) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < decodes_per_round; ++i) {
    if (decode(body) != jobs) return -1;
  }
  const std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - start;
  return taken.count() / (decodes_per_round * jobs);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const bool as_json = argc > 1 && std::string_view(argv[1]) == "--json";
  const std::string body = enqueue_body();
  std::vector<double> stint_ns;
  std::vector<double> map_ns;
  std::vector<double> ratios;
  for (int round = 0; round < rounds; ++round) {
    stint_ns.push_back(time_round(decode_with_stint, body));
    map_ns.push_back(time_round(decode_with_map, body));
    if (stint_ns.back() < 0 || map_ns.back() < 0) return std::fprintf(stderr, "a decode failed\n"), 1;
    ratios.push_back(stint_ns.back() / map_ns.back());
  }
  const char* format =
      as_json ? "{\"stint_ns_per_job\": %.1f, \"define_map_ns_per_job\": %.1f, \"ratio\": %.3f}\n"
              : "stint %.1f ns a job, MSGPACK_DEFINE_MAP %.1f ns a job, ratio %.3f\n";
  std::printf(format, median(stint_ns), median(map_ns), median(ratios));
}
