#include "tests/protocol/random_messages.hpp"

#include <algorithm>
#include <concepts>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "protocol/messages/enqueue_fields.hpp"
#include "protocol/messages/events_fields.hpp"
#include "protocol/messages/inspect_fields.hpp"
#include "protocol/messages/worker_fields.hpp"
#include "protocol/words.hpp"
#include "tests/protocol/each_message.hpp"

namespace stint::testing {

namespace {

// Whether a message names a queue or handler by `scope` and `name`.
template <class Message>
constexpr bool names_a_limit = requires(Message message) {
  { message.scope } -> std::same_as<LimitScope&>;
  message.name;
};

class RandomMessages {
 public:
  RandomMessages(std::uint64_t seed, Presence presence) : random_(seed), presence_(presence) {}

  template <class Message>
  Message make() {
    Message message;
    fill(message, wire::Nested{});
    return message;
  }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool flip() { return between(0, 1) == 1; }
  char letter() { return static_cast<char>('a' + between(0, 25)); }
  std::string word(std::int64_t least, std::int64_t most) {
    std::string text(static_cast<std::size_t>(between(least, most)), ' ');
    for (char& c : text) c = letter();
    return text;
  }

  // The edges as often as all that is between them.
  void fill(std::int64_t& out, const wire::Integer& rule) {
    const std::int64_t edges[] = {rule.least, rule.most,
                                  std::clamp<std::int64_t>(0xffffffff, rule.least, rule.most),
                                  std::clamp<std::int64_t>(0x100000000, rule.least, rule.most)};
    out = flip() ? edges[between(0, 3)] : between(rule.least, rule.most);
  }
  void fill(int& out, const wire::Integer& rule) {
    std::int64_t value = 0;
    fill(value, rule);
    out = static_cast<int>(value);
  }
  void fill(double& out, const wire::Number& rule) {
    out = flip() ? rule.most : std::uniform_real_distribution<double>(rule.least, rule.most)(random_);
  }
  void fill(bool& out, wire::Flag) { out = flip(); }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void fill(Enum& out, wire::Word) { out = static_cast<Enum>(between(0, std::ssize(words_of<Enum>) - 1)); }
  void fill(SessionId& out, wire::Session) {
    for (unsigned char& byte : out.bytes) byte = static_cast<unsigned char>(between(0, 255));
  }
  void fill(std::string& out, wire::QueueName) { out = word(1, 1) + (flip() ? "._:-9" : "") + word(0, 122); }
  void fill(std::string& out, wire::WorkerName) { fill(out, wire::QueueName{}); }
  void fill(std::string& out, wire::HandlerName) {
    out = word(1, 100) + (flip() ? "\xc3\xa9\xe2\x82\xac" : "");
  }
  void fill(std::string& out, const wire::Text& rule) {
    out = word(rule.least_bytes, std::min<std::int64_t>(rule.most_bytes, 300));
    if (flip() && rule.most_bytes >= std::ssize(out) + 4) out += "\xf0\x9f\x98\x80";
  }
  // Short enough for any part of a report: what is cut does not come back the same.
  void fill(std::string& out, wire::Report) { out = word(0, 200); }
  void fill(Payload& out, wire::Opaque) {
    out.is_text = flip();
    out.bytes.resize(static_cast<std::size_t>(between(0, 1) * between(0, 400)));
    for (char& c : out.bytes) c = static_cast<char>(between(0, 255));
  }
  void fill(Meta& out, wire::Dictionary) {
    out.clear();
    for (std::int64_t i = between(0, 4); i > 0; --i) out[word(0, 20)] = word(0, 200);
  }
  template <class Value, class Rule>
  void fill(std::optional<Value>& out, const Rule& rule) {
    fill(out.emplace(), rule);
  }
  template <class Item, class Rule>
  void fill(std::vector<Item>& out, const wire::List<Rule>& rule) {
    out.clear();
    for (std::int64_t i = between(rule.least, 5); i > 0; --i) fill(out.emplace_back(), rule.item);
  }
  template <class Value, class Key, class Rule>
  void fill(std::map<std::string, Value>& out, const wire::Map<Key, Rule>& rule) {
    out.clear();
    for (std::int64_t i = between(std::max<std::int64_t>(rule.least, 1), 5); i > 0; --i) {
      std::string key;
      fill(key, rule.key);
      fill(out[key], rule.value);
    }
  }
  // Fields of a limit do not go together as they like.
  void fill(Limit& out, wire::Nested) { out = limit_of(flip() ? LimitScope::queue : LimitScope::handler); }
  Limit limit_of(LimitScope scope) {
    Limit limit;
    if (between(0, 5) == 0) {
      limit.unlimited = true;
      return limit;
    }
    const wire::Integer starts{1, Limit::most_starts};
    const bool has_rate_part = presence_ == Presence::all || flip();
    if (has_rate_part && scope == LimitScope::queue) {
      fill(limit.rate, wire::Number{Limit::least_rate, Limit::most_rate});
      fill(limit.burst, wire::Integer{0, Limit::most_starts});
    } else if (has_rate_part) {
      fill(limit.max, starts);
      fill(limit.window_ms, wire::Integer{1, Limit::longest_window_ms});
      fill(limit.count, wire::Word{});
    }
    if (!has_rate_part || flip()) fill(limit.max_running, starts);
    return limit;
  }
  template <class Owner>
  requires requires { wire::Fields<Owner>::table; }
  void fill(Owner& out, wire::Nested) {
    wire::each_field<Owner>([&]<class Field>(const Field& field) {
      if constexpr (!wire::is_reserved<Field>) {
        if (field.is_required || presence_ == Presence::all || flip()) fill(out.*field.member, field.rule);
      }
    });
    mend(out);
  }

  // What the tables' `settle` refuses is put right.
  template <class Owner>
  void mend(Owner& owner) {
    if constexpr (names_a_limit<Owner>) mend_name(owner.scope, owner.name);
  }
  void mend(NewJob& job) {
    if (job.delay_ms) job.run_at_ms.reset();
    if (job.limit) job.limit = limit_of(LimitScope::handler);
  }
  void mend(HandlerDeclaration& declaration) {
    if (declaration.limit) declaration.limit = limit_of(LimitScope::handler);
  }
  void mend(SetLimit& message) {
    mend_name(message.scope, message.name);
    message.limit = limit_of(message.scope);
  }
  void mend_name(LimitScope scope, std::string& name) {
    if (scope == LimitScope::queue) {
      fill(name, wire::QueueName{});
    } else {
      fill(name, wire::HandlerName{});
    }
  }
  void mend(Hello& hello) {
    if (presence_ == Presence::some && flip()) {
      hello.worker.reset();
      hello.session.reset();
      hello.handlers.clear();
      hello.queues.clear();
      return;
    }
    fill(hello.worker, wire::WorkerName{});
    fill(hello.session, wire::Session{});
    hello.handlers["send_email"];
    hello.queues.push_back("email");
  }

  std::mt19937_64 random_;
  Presence presence_;
};

template <class Variant>
std::vector<Variant> one_of_each(std::uint64_t seed, Presence presence) {
  RandomMessages random(seed, presence);
  std::vector<Variant> all;
  EachMessage<Variant>::visit([&]<class Message>() { all.emplace_back(random.make<Message>()); });
  return all;
}

}  // namespace

std::vector<Request> random_requests(std::uint64_t seed, Presence presence) {
  return one_of_each<Request>(seed, presence);
}

std::vector<Answer> random_answers(std::uint64_t seed, Presence presence) {
  return one_of_each<Answer>(seed, presence);
}

}  // namespace stint::testing
