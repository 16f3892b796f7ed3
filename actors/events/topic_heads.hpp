// TopicHeads: the newest message of each topic, so that a message can name the one before it. Part of the
// event builder.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "actors/jobs/name_set.hpp"
#include "storage/store.hpp"

namespace stint {

class TopicHeads {
 public:
  void load(const TopicRow& row) { heads_[row.topic].seq = row.seq; }

  // `seq` is the topic's newest message from now on. Returns the one before it; 0: none that is known.
  std::int64_t advance(std::string_view topic, std::int64_t seq);
  // The heads that have moved since the last call.
  std::vector<TopicRow> take_moved();
  // Heads below `seq` name messages that are no longer kept.
  void forget_before(std::int64_t seq);

 private:
  struct Head {
    std::int64_t seq = 0;
    bool moved = false;
  };
  NameMap<Head> heads_;
  std::vector<std::pair<const std::string, Head>*> moved_;  // nodes of `heads_`
};

}  // namespace stint
