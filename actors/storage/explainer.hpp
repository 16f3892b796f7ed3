// Explainer: the one thing that keeps a job from running, and when that is over, if it is known.
#pragma once

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
  // Null: this name's gate, if it has one, lets a job start.
  const NamedLimit* closed(LimitScope scope, const std::string& name);
  void explain_gate(const NamedLimit& named, Explanation& explanation);

  StorageState& state_;
  JobViews& views_;
};

}  // namespace stint
