#include "tests/protocol/samples.hpp"

#include "protocol/messages/enqueue_fields.hpp"
#include "protocol/messages/events_fields.hpp"
#include "protocol/messages/inspect_fields.hpp"
#include "protocol/messages/worker_fields.hpp"
#include "tests/protocol/random_messages.hpp"

namespace stint::testing {
namespace {

template <class Message>
std::vector<SampleField> fields_of(const Message&) {
  std::vector<SampleField> fields;
  wire::each_field<Message>([&]<class Field>(const Field& field) {
    fields.push_back({std::string(field.key), field.is_required, wire::is_reserved<Field>});
  });
  return fields;
}

template <class Variant>
Sample sample_of(const Variant& message, bool is_request) {
  const auto fields = std::visit([](const auto& part) { return fields_of(part); }, message);
  return {std::string(wire_type(message)), is_request, encode(message), fields};
}

}  // namespace

std::vector<Sample> samples(std::uint64_t seed, bool is_full) {
  const Presence presence = is_full ? Presence::all : Presence::some;
  std::vector<Sample> all;
  for (const Request& request : random_requests(seed, presence)) all.push_back(sample_of(request, true));
  for (const Answer& answer : random_answers(seed, presence)) all.push_back(sample_of(answer, false));
  return all;
}

std::optional<Error> decode_error(const Sample& sample, std::string_view body) {
  if (sample.is_request) return request_error(sample.type, body);
  auto answer = decode_answer(sample.type, body, Bounds{});
  return answer ? std::nullopt : std::optional(answer.error());
}

std::optional<Error> request_error(std::string_view type, std::string_view body) {
  auto request = decode_request(type, body, Bounds{});
  return request ? std::nullopt : std::optional(request.error());
}

}  // namespace stint::testing
