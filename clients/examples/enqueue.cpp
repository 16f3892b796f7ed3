// Enqueues one job: enqueue ENDPOINT HANDLER PAYLOAD. Needs cppzmq and msgpack-cxx, nothing of stint.
#include <cstdlib>
#include <exception>
#include <iostream>
#include <iterator>
#include <map>
#include <msgpack.hpp>
#include <string>
#include <string_view>
#include <vector>
#include <zmq.hpp>
#include <zmq_addon.hpp>

namespace {

int enqueue(const std::string& endpoint, const std::string& handler, const std::string& payload) {
  zmq::context_t context;
  zmq::socket_t door(context, zmq::socket_type::req);
  door.set(zmq::sockopt::linger, 0);
  door.set(zmq::sockopt::rcvtimeo, 10'000);
  door.connect(endpoint);

  using Job = std::map<std::string, std::string>;
  const std::map<std::string, std::vector<Job>> request{
      {"jobs", {{{"handler", handler}, {"payload", payload}}}}};
  msgpack::sbuffer body;
  msgpack::pack(body, request);

  const std::vector<zmq::const_buffer> frames{zmq::str_buffer("STINT1"), zmq::str_buffer("enqueue"),
                                              zmq::const_buffer{}, zmq::buffer(body.data(), body.size())};
  zmq::send_multipart(door, frames);

  std::vector<zmq::message_t> answer;
  if (!zmq::recv_multipart(door, std::back_inserter(answer)) || answer.size() != 4) {
    std::cerr << "no answer from " << endpoint << '\n';
    return EXIT_FAILURE;
  }
  const auto unpacked = msgpack::unpack(static_cast<const char*>(answer[3].data()), answer[3].size());
  std::cout << answer[1].to_string_view() << ' ' << unpacked.get() << '\n';
  return answer[1].to_string_view() == "enqueued" ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: enqueue ENDPOINT HANDLER PAYLOAD\n";
    return EXIT_FAILURE;
  }
  try {
    return enqueue(argv[1], argv[2], argv[3]);
  } catch (const std::exception& fault) {
    std::cerr << fault.what() << '\n';
    return EXIT_FAILURE;
  }
}
