// Preloaded into a daemon's process (`--import`): how long its serving loop is held. Once a millisecond it measures how long
// the main thread has computed since the last time, so that other load of the machine does not count. SIGUSR2 writes all
// stretches of more than a quarter of a millisecond to the file that AGTMUX_LOOP_PROBE names, and begins anew.
import { renameSync, writeFileSync } from "node:fs";

const WORTH_US = 250;
let stretches = [];
let last = process.threadCpuUsage();

setInterval(() => {
  const now = process.threadCpuUsage();
  const microseconds = now.user + now.system - last.user - last.system;
  if (microseconds > WORTH_US) stretches.push(microseconds / 1_000);
  last = now;
}, 1).unref();

process.on("SIGUSR2", () => {
  const path = process.env.AGTMUX_LOOP_PROBE;
  writeFileSync(`${path}.part`, JSON.stringify(stretches));
  renameSync(`${path}.part`, path);
  stretches = [];
});
