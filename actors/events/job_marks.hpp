// JobMarks: a number for each of some jobs, all forgotten at once. A flat table that keeps its memory: it is
// written for every event of a turn.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "protocol/values.hpp"

namespace stint {

class JobMarks {
 public:
  // 0 when it is met for the first time since clear(). Valid until the next call.
  std::size_t& operator[](JobId job) {
    if (2 * (used_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[place_of(job)];
    if (slot.round != round_) {
      slot = {job, round_, 0};
      ++used_;
    }
    return slot.mark;
  }

  void clear() {
    if (slots_.size() > most_kept) slots_ = {};
    used_ = 0;
    ++round_;
  }

 private:
  struct Slot {
    JobId job = 0;
    std::uint64_t round = 0;  // of an earlier one: the slot is free
    std::size_t mark = 0;
  };
  static constexpr std::size_t least = 64;
  static constexpr std::size_t most_kept = 1 << 16;

  // Where the job is, or the free slot where it belongs. Multiples of the golden ratio lie far apart, however
  // the ids follow one another.
  std::size_t place_of(JobId job) const {
    auto place = static_cast<std::size_t>((static_cast<std::uint64_t>(job) * 0x9e3779b97f4a7c15) >> 32) &
                 (slots_.size() - 1);
    while (slots_[place].round == round_ && slots_[place].job != job)
      place = (place + 1) & (slots_.size() - 1);
    return place;
  }

  void grow() {
    const std::vector<Slot> old =
        std::exchange(slots_, std::vector<Slot>(std::max(2 * slots_.size(), least)));
    for (const Slot& slot : old) {
      if (slot.round == round_) slots_[place_of(slot.job)] = slot;
    }
  }

  std::vector<Slot> slots_;  // a power of two of them, at most half of them taken
  std::size_t used_ = 0;
  std::uint64_t round_ = 1;
};

}  // namespace stint
