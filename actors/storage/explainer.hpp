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
  // Whether the gate of this name is closed: then that is the explanation.
  bool is_held_by(LimitScope scope, const std::string& name, Explanation& explanation);
  void explain_waiting(const JobRow& row, Explanation& explanation);

  StorageState& state_;
  JobViews& views_;
};

}  // namespace stint
