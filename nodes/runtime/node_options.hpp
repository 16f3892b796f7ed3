// What the actors of a node are told, from its config.
#pragma once

#include "actors/storage/storage_options.hpp"
#include "actors/worker/worker_options.hpp"
#include "nodes/config/config.hpp"

namespace stint {

StorageOptions storage_options(const NodeConfig& config);

// A session of its own, random, with each call.
WorkerOptions worker_options(const NodeConfig& config);

}  // namespace stint
