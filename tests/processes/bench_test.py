#!/usr/bin/python3
"""`stint bench`: each mode runs against nodes of its own, counts every job once and leaves nothing behind. No speed is claimed."""

import json
import os
import pathlib
import signal
import subprocess
import unittest

from support.fleet import PATIENCE, PROGRAM, ProcessTest


class BenchTest(ProcessTest):
    def start_bench(self, *arguments):
        scratch = self.folder / "scratch"
        scratch.mkdir(exist_ok=True)
        bench = subprocess.Popen(
            [PROGRAM, "bench", *arguments],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": str(scratch)},
            text=True,
        )
        self.addCleanup(bench.stdout.close)
        self.addCleanup(bench.stderr.close)
        self.addCleanup(bench.wait, 10)
        self.addCleanup(bench.kill)
        return bench

    def bench(self, *arguments):
        """The JSON that the benchmark prints, once it has ended well."""
        bench = self.start_bench(*arguments, "--json")
        out, err = bench.communicate(timeout=120 * PATIENCE)
        self.assertEqual((0, ""), (bench.returncode, err), arguments)
        self.assert_nothing_is_left()
        return json.loads(out)

    def processes(self):
        """Those that a benchmark of this test has started and that run: their words name its folder or its nodes' doors."""
        found = []
        for folder in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "environ").read_bytes() + (folder / "cmdline").read_bytes()
            except OSError:
                continue
            if str(self.folder / "scratch").encode() in words:
                found.append(int(folder.name))
        return found

    def assert_nothing_is_left(self):
        self.assertEqual([], list((self.folder / "scratch").iterdir()))
        self.assertEqual([], self.processes())

    def assert_is_spread(self, spread, above=0):
        self.assertEqual({"median", "least", "most"}, set(spread))
        self.assertLess(above, spread["least"])
        self.assertLessEqual(spread["least"], spread["median"])
        self.assertLessEqual(spread["median"], spread["most"])

    def assert_is_whole(self, row, jobs):
        """Every job that was enqueued ended once."""
        self.assertTrue(row["whole"], row)
        self.assertEqual(jobs, row["jobs"])
        self.assert_is_spread(row["jobs_per_s"])

    def test_throughput_has_a_row_for_each_size_that_fits(self):
        sizes = ["--batch", "1", "--batch", "1000", "--payload", "0", "--payload", "65536", "--outstanding", "8"]
        told = self.bench("throughput", "--jobs", "1000", "--runs", "2", *sizes)

        self.assertEqual("throughput", told["bench"])
        rows = [(row["batch"], row["payload"], row["outstanding"]) for row in told["rows"]]
        self.assertEqual([(1, 0, 8), (1000, 0, 8), (1, 65536, 8)], rows)
        for row in told["rows"]:
            self.assert_is_whole(row, 2 * 1000)
            self.assert_is_spread(row["server_us_per_job"])

    def test_throughput_counts_whole_batches(self):
        told = self.bench("throughput", "--jobs", "2000", "--runs", "1", "--batch", "30")
        self.assert_is_whole(told["rows"][0], 2010)

    def test_throughput_may_run_for_a_time(self):
        told = self.bench("throughput", "--seconds", "1", "--runs", "1", "--batch", "10")
        self.assertLess(0, told["rows"][0]["jobs"])
        self.assertTrue(told["rows"][0]["whole"])

    def test_throughput_of_a_server_that_runs_leaves_its_other_jobs_alone(self):
        self.start_server()
        client = self.client()
        (other,) = client.enqueue("bench", 1)

        sizes = ["--jobs", "2000", "--runs", "2", "--batch", "100"]
        told = self.bench("throughput", "--server", self.front_door, *sizes)

        self.assert_is_whole(told["rows"][0], 2 * 2000)
        self.assertEqual(4000, client.ask("get_stats")["completed"])
        self.assertEqual("waiting", client.job(other)["job"]["state"])
        self.assertEqual(0, client.ask("get_stats")["running"])

    def test_latency_measures_every_job_beside_the_disk_and_a_ping(self):
        sizes = ["--jobs", "1000", "--runs", "2", "--idle-jobs", "100"]
        told = self.bench("latency", *sizes)

        self.assertTrue(told["whole"])
        rows = {row["what"]: row for row in told["rows"]}
        self.assertEqual(["idle", "loaded", "sync", "ping"], list(rows))
        self.assertEqual(2 * 100, rows["idle"]["count"])
        self.assertEqual(2 * 1000, rows["loaded"]["count"])
        for row in rows.values():
            for quantile in ("p50_us", "p99_us", "p999_us"):
                self.assert_is_spread(row[quantile], above=-1)
            self.assertLessEqual(row["p50_us"]["median"], row["p99_us"]["median"])
            self.assertLessEqual(row["p99_us"]["median"], row["p999_us"]["median"])
        self.assertAlmostEqual(told["peak_jobs_per_s"]["least"] / 2, told["offered_jobs_per_s"]["least"], delta=1)

    def test_backlog_has_a_row_for_each_number_that_waits(self):
        sizes = ["--jobs", "2000", "--runs", "1", "--waiting", "0", "--waiting", "5000", "--pickup-jobs", "50"]
        told = self.bench("backlog", *sizes)

        self.assertEqual([0, 5000], [row["waiting"] for row in told["rows"]])
        for row in told["rows"]:
            self.assert_is_whole(row, 2000 + 50)
            self.assert_is_spread(row["restart_ms"])
            self.assert_is_spread(row["pickup_p99_us"])
            self.assertLess(1 << 20, row["resident_bytes"])
            self.assertLessEqual(row["resident_bytes"], row["resident_peak_bytes"])
            self.assertLess(1 << 20, row["restarted_resident_bytes"])
        self.assertEqual(1, told["rows"][0]["ratio"])

    def test_fanout_has_rows_of_connections_and_of_subscribers(self):
        sizes = ["--jobs", "2000", "--runs", "1", "--connections", "1", "--connections", "20", "--subscribers", "2"]
        told = self.bench("fanout", *sizes)

        rows = [(row["connections"], row["subscribers"], row["stalled"]) for row in told["rows"]]
        self.assertEqual([(1, 0, 0), (20, 0, 0), (1, 2, 0), (1, 0, 1)], rows)
        for row in told["rows"]:
            self.assert_is_whole(row, 2000)
            # So few events fit into what is kept for a slow reader: none is missed.
            self.assertEqual(1, row["told"])

    def test_a_table_is_for_people(self):
        bench = self.start_bench("throughput", "--jobs", "1000", "--runs", "1", "--batch", "100")
        out, err = bench.communicate(timeout=60 * PATIENCE)
        self.assertEqual((0, ""), (bench.returncode, err))
        titles, row = out.splitlines()
        self.assertIn("jobs/s", titles)
        self.assertEqual(["100", "100", "B", "64"], row.split()[:4])

    def test_nothing_is_left_when_it_is_interrupted(self):
        bench = self.start_bench("throughput", "--seconds", "60", "--batch", "10")
        self.eventually(lambda: len(self.processes()) >= 4, 30, "node, producer and consumer run")
        bench.send_signal(signal.SIGINT)
        _, err = bench.communicate(timeout=30 * PATIENCE)
        self.assertEqual(75, bench.returncode)
        self.assertIn("stopped before it was done", err)
        self.assert_nothing_is_left()

    def test_load_drivers_end_with_a_benchmark_that_is_killed(self):
        self.start_server()
        bench = self.start_bench("throughput", "--server", self.front_door, "--seconds", "60", "--batch", "10")
        self.eventually(lambda: len(self.processes()) >= 3, 30, "producer and consumer run")
        bench.kill()
        self.eventually(lambda: self.processes() == [], 30, "they end")

    def test_a_server_that_is_not_there_is_an_error(self):
        bench = self.start_bench("latency", "--server", "tcp://127.0.0.1:9", "--jobs", "10", "--runs", "1")
        out, err = bench.communicate(timeout=60 * PATIENCE)
        self.assertEqual(69, bench.returncode)
        self.assertEqual("", out)
        self.assertIn("nothing listens at tcp://127.0.0.1:9", err)
        self.assert_nothing_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=2)
