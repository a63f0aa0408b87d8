// The verbs about targets, in short. The rest is in targets.slow.test.ts.
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeTarget } from "../test/factories/view.ts";
import { AnsweringDaemon } from "../test/fakes/answeringDaemon.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";
import { AgtmuxError } from "../core/model/errors.ts";

let home: FakeHome;
let daemon: AnsweringDaemon;

beforeEach(async () => {
  home = makeFakeHome();
  daemon = new AnsweringDaemon();
  daemon.setTargets([
    makeTarget(),
    makeTarget({ target: "vm1", kind: "ssh", connection_ref: "vm1", transport: "ssh2", rtt_ms: 1.5 }),
    makeTarget({
      target: "vm2",
      kind: "ssh",
      connection_ref: "vm2",
      health: "down",
      health_reason: "connect to vm2: its host key has CHANGED\u001b[2J",
      remedy: "Run 'ssh-keygen -R vm2'.",
      next_attempt_at: "2126-11-21T09:00:00.000Z",
      awake: null,
      newer_release: null,
      limits: [],
    }),
  ]);
  await home.serve(daemon);
});
afterEach(() => home.close());

test("connect prints how it is connected, and fails with what keeps it from that", async () => {
  expect((await home.run(["target", "connect", "vm1"])).stdout).toBe(
    "vm1 is connected over ssh2, 1.5 ms: 1 pane (default).\n",
  );
  daemon.targetConnect = async () => {
    throw new AgtmuxError("E_TARGET_AUTH", "connect to vm1: no key", { remedy: "Run ssh-add." });
  };
  const failed = await home.run(["target", "connect", "vm1", "--json"]);
  expect(failed.code).toBe(24);
  expect(JSON.parse(failed.stderr)).toMatchObject({
    error: { code: "E_TARGET_AUTH", remedy: "Run ssh-add." },
  });
});
