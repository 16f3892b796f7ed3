// A scripted workload, the same at each run, and all that a store holds, to compare with what the script
// says.
#pragma once

#include <map>
#include <vector>

#include "storage/store.hpp"

namespace stint::test {

struct Contents {
  StoreHeader header;
  std::vector<JobRow> jobs;
  std::map<JobId, Payload> payloads;
  std::vector<ReceiptRow> receipts;
  std::vector<SessionRow> sessions;
  std::vector<LogRow> logs;
  std::vector<EventChunk> events;
  friend bool operator==(const Contents&, const Contents&) = default;
};

// Fails the test if something cannot be read.
Contents contents_of(Store& store);

// Makes the changes of one step, from 1 on, without their commit: jobs come, older ones are handed out, still
// older ones end in every way there is.
void change(Store& store, int step);
Status commit(Store& store, int step);

// What the store holds after each step, from 0 on.
std::vector<Contents> contents_after_each_step(int steps);

}  // namespace stint::test
