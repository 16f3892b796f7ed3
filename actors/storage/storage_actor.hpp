// StorageActor: accepts jobs, hands them out, ends their runs and tells everyone what changed. There is one,
// and it owns the one Store (rule D11). The node commits after each turn; nothing leaves before that (rule
// D1).
#pragma once

#include "actors/kernel/actor.hpp"
#include "actors/storage/accept_jobs.hpp"
#include "actors/storage/alarm.hpp"
#include "actors/storage/claims.hpp"
#include "actors/storage/event_desk.hpp"
#include "actors/storage/explainer.hpp"
#include "actors/storage/heartbeats.hpp"
#include "actors/storage/inspection.hpp"
#include "actors/storage/limit_desk.hpp"
#include "actors/storage/load_state.hpp"
#include "actors/storage/operations.hpp"
#include "actors/storage/report_desk.hpp"
#include "actors/storage/retention.hpp"

namespace stint {

// What Store::commit() is told: a moment by both clocks.
struct CommitStamp {
  Instant stamp{};
  WallMs stamp_ms = 0;
};

class StorageActor
    : public Handles<StorageActor, Started, Enqueue, Hello, Finish, Heartbeat, Goodbye, CheckAsk, Claim,
                     Acknowledge, BatchDropped, ListQueues, ListWorkers, ListJobs, GetJob, RetryJob,
                     CancelJob, DeleteJob, GetStats, Ping, SetLimit, GetLimit, ClearLimit, Pause, Resume,
                     ListLimits, ReadEvents, ExplainJob, SnapshotWanted, LeaseTick, DueTick, HeartbeatTick,
                     PruneTick, EventTick, StampTick, HeadTick, LinkUp, LinkDown> {
 public:
  StorageActor(Store& store, StorageOptions options);
  ~StorageActor() override;

  // To be called once, before the actor is hosted. Begins this start (the epoch), which the first commit
  // keeps. Errors: storage_unavailable; the actor must not be hosted then.
  Status load(const StorageStart& start);

  // The stamp of the commit before the next one (rule L10).
  const CommitStamp& last_commit() const { return last_commit_; }

  // What a node tells of itself when it starts.
  std::int64_t epoch() const { return state_.epoch; }
  const JobCounts& job_counts() const { return state_.loaded->board.totals(); }

  template <class Any>
  void on(Any&& message, Turn& turn) {
    begin(turn);
    handle(std::forward<Any>(message), turn);
    finish(turn);
  }

  void before_commit(Turn& turn) override;
  void committed(Instant now) override;
  void rolled_back(Turn& turn) override;

 private:
  // After a failed commit: nothing is served before memory is rebuilt and one commit has succeeded (rule D2).
  enum class Mode { serving, must_commit, must_load };

  void begin(Turn& turn);
  void finish(Turn& turn);

  template <class Request>
  void handle(Request&& request, Turn& turn) {
    if (mode_ != Mode::serving) return turn.reply(not_serving());
    serve(std::forward<Request>(request), turn);
  }
  void handle(Started&& started, Turn& turn);
  void handle(Claim&& claim, Turn& turn);
  void handle(CheckAsk&& check, Turn& turn);
  void handle(Acknowledge&& acknowledge, Turn& turn);
  void handle(BatchDropped&& dropped, Turn& turn);
  void handle(Ping&& ping, Turn& turn);
  void handle(LinkUp&& link, Turn&) { state_.linked.insert(link.peer); }
  void handle(LinkDown&& link, Turn&) { state_.linked.erase(link.peer); }
  void handle(LeaseTick&& tick, Turn& turn);
  void handle(DueTick&& tick, Turn& turn);
  void handle(HeartbeatTick&& tick, Turn& turn);
  void handle(PruneTick&& tick, Turn& turn);
  void handle(SnapshotWanted&& wanted, Turn& turn);
  void handle(EventTick&& tick, Turn& turn) { event_desk_.on(std::move(tick), turn); }
  // That there is a turn is all: it tells limiters what the stamp has changed.
  void handle(StampTick&&, Turn&) { stamp_tick_set_ = false; }
  void handle(HeadTick&&, Turn& turn);

  // To the part whose subject it is.
  void serve(Enqueue&& request, Turn& turn) { accept_jobs_.on(std::move(request), turn); }
  void serve(Hello&& request, Turn& turn) { desk_.on(std::move(request), turn); }
  void serve(Goodbye&& request, Turn& turn) { desk_.on(std::move(request), turn); }
  void serve(Finish&& request, Turn& turn) { reports_.on(std::move(request), turn); }
  void serve(Heartbeat&& request, Turn& turn) { heartbeats_.on(std::move(request), turn); }
  void serve(RetryJob&& request, Turn& turn) { operations_.on(std::move(request), turn); }
  void serve(CancelJob&& request, Turn& turn) { operations_.on(std::move(request), turn); }
  void serve(DeleteJob&& request, Turn& turn) { operations_.on(std::move(request), turn); }
  void serve(SetLimit&& request, Turn& turn) { limits_.on(std::move(request), turn); }
  void serve(GetLimit&& request, Turn& turn) { limits_.on(std::move(request), turn); }
  void serve(ClearLimit&& request, Turn& turn) { limits_.on(std::move(request), turn); }
  void serve(Pause&& request, Turn& turn) { limits_.on(std::move(request), turn); }
  void serve(Resume&& request, Turn& turn) { limits_.on(std::move(request), turn); }
  void serve(ListLimits&& request, Turn& turn) { limits_.on(std::move(request), turn); }
  void serve(ReadEvents&& request, Turn& turn) { event_desk_.on(std::move(request), turn); }
  void serve(ExplainJob&& request, Turn& turn) { explainer_.on(std::move(request), turn); }
  template <class Question>
  void serve(Question&& question, Turn& turn) {
    inspection_.on(std::forward<Question>(question), turn);
  }

  static Error not_serving();
  void reload();
  void heed_standstill();
  // Into the turn's commit. There must be some.
  EventChunk keep_events();
  void publish(EventsWritten written, Turn& turn);

  StorageState state_;
  LimiterNews news_{state_};
  RunEnds ends_{state_};
  LimitDesk limits_{state_};
  SessionDesk desk_{state_, ends_, limits_, news_};
  AcceptJobs accept_jobs_{state_, limits_};
  Claims claims_{state_, desk_, ends_, news_};
  ReportDesk reports_{state_, desk_, ends_, limits_};
  Heartbeats heartbeats_{state_, desk_};
  JobViews views_{state_};
  Operations operations_{state_, views_, heartbeats_};
  Inspection inspection_{state_, views_};
  Retention retention_{state_, news_};
  Explainer explainer_{state_, views_};
  EventDesk event_desk_{state_};

  StorageStart start_;
  CommitStamp last_commit_;
  Mode mode_ = Mode::must_load;
  bool will_commit_ = false;   // the turn's commit holds something
  bool tell_all_due_ = false;  // limiters have not heard what a reload changed
  bool lease_tick_set_ = false;
  bool stamp_tick_set_ = false;
  Instant clock_read_at_{};  // the last time anything read it
  Instant stamped_at_{};     // the last commit
  int heads_unsaid_ = 0;     // ticks since where the log stands was published
  std::int64_t head_said_ = -1;
  Alarm due_alarm_;
};

}  // namespace stint
