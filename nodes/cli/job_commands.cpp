#include <chrono>

#include "nodes/cli/commands.hpp"
#include "nodes/cli/json_text.hpp"
#include "nodes/cli/pages.hpp"
#include "nodes/cli/time_text.hpp"
#include "nodes/cli/views.hpp"

namespace stint {

namespace {

Request change_request(JobChangeCommand::Change change, JobId id) {
  switch (change) {
    case JobChangeCommand::Change::retry:
      return RetryJob{.id = id};
    case JobChangeCommand::Change::cancel:
      return CancelJob{.id = id};
    case JobChangeCommand::Change::remove:
      break;
  }
  return DeleteJob{.id = id};
}

}  // namespace

ExitStatus run(const JobListCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto jobs = fetch_all(client, command.filter, &Jobs::jobs, command.rows);
  if (!jobs) {
    console.complain(jobs.error());
    return jobs.error().status;
  }
  if (command.client.json) {
    console.print(json_of(jobs->rows, jobs->more));
    return ExitStatus::done;
  }
  print_rows(console, job_table(jobs->rows, wall_now_ms(), console), jobs->rows.empty(),
             "there is no such job");
  if (jobs->more) console.note("there are more; --rows N shows N of them");
  return ExitStatus::done;
}

ExitStatus run(const JobShowCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto details = client.ask_for<JobDetails>(GetJob{.id = command.id});
  if (!details) {
    console.complain(details.error());
    return details.error().status;
  }
  console.print(command.client.json ? json_of(*details)
                                    : job_screen(*details, wall_now_ms(), command.whole, console));
  return ExitStatus::done;
}

ExitStatus run(const JobExplainCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  const auto explanation = client.ask_for<Explanation>(ExplainJob{.id = command.id});
  if (!explanation) {
    console.complain(explanation.error());
    return explanation.error().status;
  }
  console.print(command.client.json ? json_of(*explanation) : explanation_screen(*explanation, console));
  return ExitStatus::done;
}

ExitStatus run(const JobChangeCommand& command, const Console& console) {
  ServerClient client(command.client.server);
  std::vector<JobDetails> changed;
  std::vector<JobId> deleted;
  ExitStatus status = ExitStatus::done;
  for (const JobId id : command.ids) {
    auto answer = client.ask(change_request(command.change, id));
    if (!answer) {
      answer.error().message = "job " + std::to_string(id) + ": " + answer.error().message;
      console.complain(answer.error());
      status = answer.error().status;
      if (status == ExitStatus::no_server) break;
    } else if (JobDetails* details = std::get_if<JobDetails>(&*answer)) {
      if (!command.client.json)
        console.print(std::to_string(id) + " " + std::string(to_string(details->job.state)) + "\n");
      changed.push_back(std::move(*details));
    } else if (std::holds_alternative<Deleted>(*answer)) {
      if (!command.client.json) console.print(std::to_string(id) + " deleted\n");
      deleted.push_back(id);
    }
  }
  if (command.client.json) {
    const bool deletes = command.change == JobChangeCommand::Change::remove;
    console.print(deletes ? json_of_deleted(deleted) : json_of(changed));
  }
  return status;
}

}  // namespace stint
