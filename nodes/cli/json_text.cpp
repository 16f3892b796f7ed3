#include "nodes/cli/json_text.hpp"

#include <nlohmann/json.hpp>

#include "nodes/cli/base64.hpp"
#include "protocol/names.hpp"
#include "protocol/version.hpp"
#include "protocol/words.hpp"

namespace stint {

namespace {

using Json = nlohmann::ordered_json;

std::string line_of(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string one_line_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

template <class Value>
void put_if(Json& object, const char* key, const std::optional<Value>& value) {
  if (value) object[key] = *value;
}

void put_if(Json& object, const char* key, const std::string& text) {
  if (!text.empty()) object[key] = text;
}

void put_payload(Json& object, const std::string& key, const std::optional<Payload>& payload) {
  if (!payload) return;
  if (payload->is_text && is_utf8(payload->bytes)) {
    object[key] = payload->bytes;
  } else {
    object[key + "_base64"] = to_base64(payload->bytes);
  }
}

Json to_object(const QueueView& queue) {
  Json object{{"name", queue.name},         {"waiting", queue.waiting}, {"scheduled", queue.scheduled},
              {"retrying", queue.retrying}, {"running", queue.running}, {"dead", queue.dead},
              {"workers", queue.workers}};
  object["waiting_by_handler"] = queue.waiting_by_handler;
  object["handlers_left_out"] = queue.handlers_left_out;
  return object;
}

Json to_object(const WorkerView& worker) {
  Json object{{"worker", worker.worker}, {"session", to_string(worker.session)}};
  put_if(object, "client", worker.client);
  put_if(object, "hostname", worker.hostname);
  put_if(object, "pid", worker.pid);
  object["handlers"] = worker.handlers;
  object["queues"] = worker.queues;
  object["labels"] = worker.labels;
  object["running"] = worker.running;
  object["first_hello_ms"] = worker.first_hello_ms;
  object["last_message_ago_ms"] = worker.last_message_ago_ms;
  return object;
}

Json to_object(const JobView& job) {
  Json object{{"id", job.id},
              {"queue", job.queue},
              {"handler", job.handler},
              {"state", to_string(job.state)},
              {"priority", job.priority},
              {"runs", job.runs},
              {"attempts", job.attempts},
              {"max_attempts", job.max_attempts},
              {"lost", job.lost},
              {"enqueued_at_ms", job.enqueued_at_ms}};
  put_if(object, "due_in_ms", job.due_in_ms);
  put_if(object, "worker", job.worker);
  put_if(object, "progress", job.progress);
  put_if(object, "reason", job.reason);
  return object;
}

Json to_object(const RunView& run) {
  Json object{{"run", run.run},
              {"attempt", run.attempt},
              {"worker", run.worker},
              {"started_at_ms", run.started_at_ms},
              {"ended_at_ms", run.ended_at_ms},
              {"end", to_string(run.end)}};
  put_payload(object, "result", run.result);
  if (run.result_left_out) object["result_left_out"] = true;
  if (run.error) {
    Json error{{"message", run.error->message}};
    put_if(error, "type", run.error->type);
    put_if(error, "trace", run.error->trace);
    object["error"] = std::move(error);
  }
  return object;
}

Json to_object(const Stats& stats) {
  return {{"server", stats.server},
          {"version", stats.version},
          {"epoch", stats.epoch},
          {"uptime_ms", stats.uptime_ms},
          {"jobs",
           {{"waiting", stats.waiting},
            {"scheduled", stats.scheduled},
            {"retrying", stats.retrying},
            {"running", stats.running},
            {"dead", stats.dead}}},
          {"sessions", stats.sessions},
          {"event_seq", stats.event_seq},
          {"since_start",
           {{"enqueued", stats.enqueued},
            {"started", stats.started},
            {"completed", stats.completed},
            {"failed", stats.failed},
            {"lost", stats.lost},
            {"undelivered", stats.undelivered},
            {"stale", stats.stale}}},
          {"database_bytes", stats.database_bytes},
          {"wal_bytes", stats.wal_bytes}};
}

Json to_object(const Limit& limit) {
  Json object = Json::object();
  put_if(object, "rate", limit.rate);
  if (limit.rate) object["burst"] = limit.burst;
  put_if(object, "max", limit.max);
  put_if(object, "window_ms", limit.window_ms);
  if (limit.max) object["count"] = to_string(limit.count);
  put_if(object, "max_running", limit.max_running);
  if (limit.unlimited) object["unlimited"] = true;
  return object;
}

Json to_object(const LimitState& state) {
  Json object{{"scope", to_string(state.scope)}, {"name", state.name}};
  if (state.limit) object["limit"] = to_object(*state.limit);
  if (state.source) object["source"] = to_string(*state.source);
  object["version"] = state.version;
  object["layers"] = Json::object();
  for (const auto& [source, limit] : state.layers) object["layers"][source] = to_object(limit);
  object["limited"] = state.limited;
  put_if(object, "available", state.available);
  put_if(object, "available_in_ms", state.available_in_ms);
  object["running"] = state.running;
  object["paused"] = state.paused;
  put_if(object, "paused_until_ms", state.paused_until_ms);
  object["started"] = state.started;
  return object;
}

Json to_object(const HandlerRow& handler) {
  Json object{{"name", handler.name}, {"waiting", handler.waiting}, {"workers", handler.workers}};
  object["waiting_by_queue"] = handler.waiting_by_queue;
  object["state"] = to_object(handler.state);
  return object;
}

// What an event has besides its items.
Json head_of(const EventMessage& event) {
  Json object = Json::object();
  if (event.seq > 0) object["seq"] = event.seq;
  if (event.prev > 0) object["prev"] = event.prev;
  object["log"] = event.log;
  object["at_ms"] = event.at_ms;
  object["event"] = word_of(event.event);
  put_if(object, "queue", event.queue);
  if (event.scope) object["scope"] = to_string(*event.scope);
  put_if(object, "name", event.name);
  if (event.source) object["source"] = to_string(*event.source);
  if (event.limit) object["limit"] = to_object(*event.limit);
  put_if(object, "for_ms", event.for_ms);
  return object;
}

void put_item(Json& object, const EventItem& item) {
  object["job"] = item.job;
  object["handler"] = item.handler;
  if (item.run > 0) object["run"] = item.run;
  if (item.attempt > 0) object["attempt"] = item.attempt;
  if (item.session) object["session"] = to_string(*item.session);
  put_if(object, "worker", item.worker);
  if (item.next != EventNext::none) object["next"] = word_of(item.next);
}

Json to_object(const ConfigFault& fault) {
  Json object{{"line", fault.line}};
  put_if(object, "key", fault.key);
  put_if(object, "value", fault.value);
  object["message"] = fault.message;
  return object;
}

Json to_object(const JobDetails& details);

template <class Element>
Json array_of(const std::vector<Element>& elements) {
  Json array = Json::array();
  for (const Element& element : elements) array.push_back(to_object(element));
  return array;
}

Json to_object(const JobDetails& details) {
  Json object = to_object(details.job);
  put_payload(object, "payload", details.payload);
  object["meta"] = details.meta;
  put_if(object, "timeout_ms", details.timeout_ms);
  object["run_history"] = array_of(details.runs);
  object["runs_left_out"] = details.runs_left_out;
  return object;
}

}  // namespace

std::string json_of(const Enqueued& enqueued) {
  return line_of({{"ids", enqueued.ids}, {"duplicates", enqueued.duplicates}});
}

std::string json_of(const std::vector<QueueView>& queues) { return line_of({{"queues", array_of(queues)}}); }

std::string json_of(const QueueView& queue) { return line_of(to_object(queue)); }

std::string json_of(const std::vector<WorkerView>& workers) {
  return line_of({{"workers", array_of(workers)}});
}

std::string json_of(const std::vector<JobView>& jobs, bool more) {
  return line_of({{"jobs", array_of(jobs)}, {"more", more}});
}

std::string json_of(const JobDetails& details) { return line_of(to_object(details)); }

std::string json_of(const std::vector<JobDetails>& jobs) { return line_of({{"jobs", array_of(jobs)}}); }

std::string json_of_deleted(const std::vector<JobId>& ids) { return line_of({{"deleted", ids}}); }

std::string json_of(const Pong& pong, double round_trip_ms) {
  return line_of({{"server", pong.server},
                  {"version", pong.version},
                  {"epoch", pong.epoch},
                  {"ready", pong.ready},
                  {"round_trip_ms", round_trip_ms}});
}

std::string json_of_status(const Stats& stats, const std::vector<QueueView>& queues,
                           const std::vector<WorkerView>& workers) {
  Json object = to_object(stats);
  object["queues"] = array_of(queues);
  object["workers"] = array_of(workers);
  return line_of(object);
}

std::string json_of(const LimitState& state) { return line_of(to_object(state)); }

std::string json_of(const std::vector<LimitState>& limits, bool more) {
  return line_of({{"limits", array_of(limits)}, {"more", more}});
}

std::string json_of(const std::vector<HandlerRow>& handlers) {
  return line_of({{"handlers", array_of(handlers)}});
}

std::string json_of(const HandlerRow& handler) { return line_of(to_object(handler)); }

std::string json_of(const Explanation& explanation) {
  Json object{{"id", explanation.id},
              {"state", to_string(explanation.state)},
              {"hold", word_of(explanation.hold)},
              {"message", explanation.message}};
  if (explanation.scope) object["scope"] = to_string(*explanation.scope);
  put_if(object, "name", explanation.name);
  put_if(object, "in_ms", explanation.in_ms);
  return line_of(object);
}

std::string json_lines_of(const EventMessage& event) {
  const Json head = head_of(event);
  if (is_of_limit(event.event)) return one_line_of(head);
  std::string lines;
  for (const EventItem& item : event.items) {
    Json object = head;
    put_item(object, item);
    lines += one_line_of(object);
  }
  return lines;
}

std::string json_of_watch(const Stats& stats, const std::vector<QueueView>& queues,
                          const std::vector<LimitState>& limits, const StartRates& rates) {
  Json object = to_object(stats);
  put_if(object, "started_per_second", rates.started);
  put_if(object, "completed_per_second", rates.completed);
  object["queues"] = array_of(queues);
  object["limits"] = Json::array();
  for (const LimitState& state : limits) {
    Json one = to_object(state);
    put_if(one, "started_per_second", rates.of(state));
    object["limits"].push_back(std::move(one));
  }
  return one_line_of(object);
}

std::string json_of_config(const std::string& file, const ConfigFaults& faults) {
  return line_of({{"file", file}, {"ok", faults.empty()}, {"faults", array_of(faults)}});
}

std::string json_of_version() { return line_of({{"version", stint_version}, {"wire_versions", {1}}}); }

}  // namespace stint
