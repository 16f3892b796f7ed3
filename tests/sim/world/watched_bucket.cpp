#include "tests/sim/world/watched_bucket.hpp"

#include <algorithm>
#include <limits>

namespace stint::sim {

namespace {

constexpr std::size_t most_epochs = 1'000;

}  // namespace

void WatchedBucket::change(std::optional<WatchedRate> rate, Duration began, Duration now,
                           std::uint64_t turn) {
  settle(turn);
  if (rate == rate_) return;
  const bool first = epochs_.empty();
  if (first && !rate) return;
  if (first) filled_at_ = began;
  advance(std::max(began, filled_at_));
  const double old_burst = first ? 0 : epochs_.back().burst;
  spares_ = (changing_in_ && spares_) || !rate || !rate_;
  changing_in_ = turn;
  if (rate) {
    begin_epoch(std::max(old_burst, rate->burst));
    filling_ = std::max(filling_, rate->per_second);
  }
  rate_ = rate;
  advance(now);
}

double WatchedBucket::start(Duration at, std::uint64_t turn) {
  settle(turn);
  if (!rate_ || (changing_in_ && spares_)) return -1;
  advance(at);
  Epoch& newest = epochs_.back();
  if (!newest.filled || filled_ - starts_ > newest.lead()) {
    newest.filled = filled_;
    newest.starts_before = starts_;
  }
  starts_ += 1;
  double worst = -std::numeric_limits<double>::infinity();
  double burst = 0;
  for (auto epoch = epochs_.rbegin(); epoch != epochs_.rend(); ++epoch) {
    burst = std::max(burst, epoch->burst);
    if (!epoch->filled) continue;
    const double allowed = burst + filled_ - *epoch->filled;
    const double started = starts_ - epoch->starts_before;
    worst = std::max(worst, started - allowed);
    worst_ratio_ = std::max(worst_ratio_, started / allowed);
  }
  return worst;
}

// The turn of the last change is over: from now on only what it set.
void WatchedBucket::settle(std::uint64_t turn) {
  if (!changing_in_ || *changing_in_ == turn) return;
  changing_in_.reset();
  spares_ = false;
  if (!rate_) return;
  filling_ = rate_->per_second;
  begin_epoch(rate_->burst);
}

void WatchedBucket::advance(Duration to) {
  if (to <= filled_at_) return;
  filled_ += filling_ * std::chrono::duration<double>(to - filled_at_).count();
  filled_at_ = to;
}

void WatchedBucket::begin_epoch(double burst) {
  epochs_.push_back({burst});
  if (epochs_.size() > most_epochs) epochs_.erase(epochs_.begin());
}

}  // namespace stint::sim
