// Explainer: the one thing that keeps a job from running, and when that is over, if it is known.
#pragma once

#include <functional>
#include <string>

#include "actors/kernel/turn.hpp"
#include "actors/storage/job_views.hpp"
#include "actors/storage/storage_state.hpp"
#include "protocol/messages.hpp"

namespace stint {

class Explainer {
 public:
  Explainer(StorageState& state, JobViews& views) : state_(state), views_(views) {}

  void on(ExplainJob&& request, Turn& turn);

 private:
  Explanation explain(const JobRow& row);
  void explain_running(const JobRow& row, Explanation& explanation);
  void explain_delay(const JobRow& row, Explanation& explanation) const;
  void explain_waiting(const JobRow& row, Explanation& explanation);
  // Null: the queue's limiter can be reached.
  const Homes::Limiter* limiter_away(const std::string& queue) const;
  // Null: this name's gate, if it has one, lets a job start.
  const NamedLimit* closed(LimitScope scope, const std::string& name);
  void explain_gate(const NamedLimit& named, const JobRow& row, Explanation& explanation);
  // The first waiting job of the queue of which this holds; 0: there is none.
  JobId first_in(const std::string& queue, const std::function<bool(const LaneGroup&)>& holds);

  StorageState& state_;
  JobViews& views_;
};

}  // namespace stint
