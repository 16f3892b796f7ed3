#include "tests/protocol/samples.hpp"

#include "tests/protocol/random_message.hpp"

namespace stint::testing {

std::vector<Sample> samples(std::uint64_t seed, bool is_full) {
  RandomMessages random(seed, is_full ? Presence::all : Presence::some);
  std::vector<Sample> all;
  const auto add = [&]<class Message>(bool is_request, std::string body) {
    Sample& sample = all.emplace_back();
    sample.type = wire::Fields<Message>::name;
    sample.is_request = is_request;
    sample.body = std::move(body);
    wire::each_field<Message>([&]<class Field>(const Field& field) {
      sample.fields.push_back({std::string(field.key), field.is_required, wire::is_reserved<Field>});
    });
  };
  EachMessage<Request>::visit([&]<class Message>() {
    add.template operator()<Message>(true, encode(Request(random.make<Message>())));
  });
  EachMessage<Answer>::visit([&]<class Message>() {
    add.template operator()<Message>(false, encode(Answer(random.make<Message>())));
  });
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
