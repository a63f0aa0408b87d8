// The tmux servers of config.json are followed while the daemon runs, and what an earlier daemon watched does not linger.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { actionGuardsSchema } from "../../core/model/action.ts";
import { startTestDaemon, type TestDaemon } from "../harness/daemon.ts";
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";
import { until } from "../setup/realClock.ts";

let root: string;
let more: PrivateTmux;
let daemon: TestDaemon;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "agtmux-follow-"));
  more = createPrivateTmux();
  await more.newSession("more");
  // The person's default server is none.
  daemon = await startTestDaemon({ sockets: [], env: { AGTMUX_TMUX_SOCKETS: "", TMUX_TMPDIR: root } });
});
afterEach(async () => {
  await daemon.close();
  await more.close();
  rmSync(root, { recursive: true, force: true });
});

const names = (): string[] =>
  (daemon.daemon.service.targets()[0]?.servers ?? []).map((one) => one.tmux_server);
const servers = () => [{ name: "more", socket_path: more.socketPath }];

it("shows, reaches and leaves a server as config.json names it", async () => {
  expect(daemon.rows()).toEqual([]);
  await daemon.configure({ tmux_servers: servers() });
  const row = await daemon.until("%0", () => true);
  expect(row.identity.tmux_server).toBe("more");
  expect(names()).toEqual(["default", "more"]);
  const sent = await daemon.daemon.service.send({
    ref: row.identity.pane_ref,
    guards: actionGuardsSchema.parse({}),
    surface: "test",
    text: "a text",
    pressEnter: true,
    toShell: true,
    idempotencyKey: null,
  });
  expect(sent.outcome).toBe("delivered");
  // It is watched, not only listed once.
  const second = await more.run("new-window", "-d", "-P", "-F", "#{pane_id}", "exec cat");
  await daemon.until(second, () => true);

  await daemon.configure({ tmux_servers: [] });
  await until(() => daemon.rows().length === 0, "its rows go");
  expect(names()).toEqual(["default"]);
  expect(
    await daemon.daemon.service
      .send({
        ref: row.identity.pane_ref,
        guards: actionGuardsSchema.parse({}),
        surface: "test",
        text: "a text",
        pressEnter: true,
        toShell: true,
        idempotencyKey: null,
      })
      .catch((error: { code: string }) => error.code),
  ).toBe("E_REF_NOT_FOUND");
});

it("keeps no rows of a server that was taken out of config.json while no daemon ran", async () => {
  await daemon.configure({ tmux_servers: servers() });
  await daemon.until("%0", () => true);
  const home = daemon.paths.config;
  rmSync(home);
  await daemon.restart();
  expect(daemon.rows()).toEqual([]);
  expect(names()).toEqual(["default"]);
});

it("follows several changes that come one after the other, and the last one counts", async () => {
  for (let round = 0; round < 4; round++)
    await daemon.configure({ tmux_servers: round % 2 === 0 ? servers() : [] });
  await until(() => names().join() === "default", "the last one");
  await daemon.configure({ tmux_servers: servers() });
  await daemon.until("%0", () => true);
});
