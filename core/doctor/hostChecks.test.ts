import { expect, it } from "vitest";
import { realClock } from "../../test/setup/realClock.ts";
import { DEFAULT_CONFIG } from "../model/config.ts";
import { runChecks } from "../model/doctor.ts";
import { AgtmuxError } from "../model/errors.ts";
import { hostChecks, type HostFacts } from "./hostChecks.ts";

const FACTS: HostFacts = {
  host: "app",
  platform: "linux",
  env: { DBUS_SESSION_BUS_ADDRESS: "unix:path=/run/bus" },
  notifications: DEFAULT_CONFIG.notifications,
  keepAwake: "never",
  notificationListeners: 0,
  findTerminal: () => "/usr/bin/xterm",
  loss: () => Promise.resolve(null),
  outage: null,
};
const OFF = {
  ...DEFAULT_CONFIG.notifications,
  waiting_approval: false,
  waiting_input: false,
  error: false,
  completed: false,
};

const statusOf = async (check: string, facts: Partial<HostFacts>): Promise<string | undefined> => {
  const adapters = { list: () => [], byAgentType: () => null, identify: () => null };
  const findings = await runChecks(hostChecks(adapters, { ...FACTS, ...facts }), (delayMs, callback) =>
    realClock.setTimer(delayMs, callback),
  );
  return findings.find((finding) => finding.check === check)?.status;
};

it.each<[string, Partial<HostFacts>, string]>([
  ["of the app are shown", {}, "ok"],
  ["of the app without a session bus are not", { env: {} }, "warning"],
  ["of the app on a Mac are the system's to allow", { platform: "darwin", env: {} }, "ok"],
  ["that nobody wants are not checked", { notifications: OFF }, "skipped"],
  ["of a headless daemon are for others to show", { host: "headless" }, "skipped"],
  ["of a headless daemon are shown by who listens", { host: "headless", notificationListeners: 1 }, "ok"],
])("notifications %s", async (_what, facts, status) => {
  expect(await statusOf("daemon.notifications", facts)).toBe(status);
});

it("says whether a click can open a terminal window", async () => {
  const none = () => {
    throw new AgtmuxError("E_UNSUPPORTED", "no terminal program was found");
  };
  expect([
    await statusOf("daemon.terminal", {}),
    await statusOf("daemon.terminal", { findTerminal: none }),
    await statusOf("daemon.terminal", { findTerminal: null }),
  ]).toEqual(["ok", "warning", "skipped"]);
});

const LOSS = { at: 0, keptPath: "/home/me/.agtmux/state.db.damaged-x" };
it.each<[string, Partial<HostFacts>, string]>([
  ["is there", {}, "ok"],
  [
    "was lost, and the damaged file is kept",
    { loss: () => Promise.resolve({ ...LOSS, isKept: true }) },
    "warning",
  ],
  [
    "was lost, and a person took note of it",
    { loss: () => Promise.resolve({ ...LOSS, isKept: false }) },
    "ok",
  ],
  ["cannot be written", { outage: "nothing can be stored: the disk is full" }, "problem"],
])("says that the history %s", async (_what, facts, status) => {
  expect(await statusOf("daemon.history", facts)).toBe(status);
});
