// The daemon needs nothing but Node: it starts from its sources in a home of its own, answers, and leaves when asked.
import { mkdtempSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROTOCOL_VERSION } from "../../core/api/protocol.ts";
import { connectTo, spawnDaemon } from "../harness/daemonProcess.ts";

it("completes a hello from source under plain Node", async () => {
  const root = mkdtempSync(join(tmpdir(), "agtmux-node-"));
  const home = join(root, "a");
  await mkdir(join(root, "home"));
  const daemon = await spawnDaemon({
    home,
    env: { HOME: join(root, "home"), TMUX_TMPDIR: root, AGTMUX_TMUX_SOCKETS: join(root, "no-server") },
  });
  try {
    const client = await connectTo(home);
    const { hello } = client;
    const list = await client.call((api) => api.adapters.query());
    client.close();
    expect(hello).toMatchObject({
      name: "agtmux",
      protocol: PROTOCOL_VERSION,
      host: "headless",
      pid: daemon.pid,
    });
    expect(list.problems).toEqual([]);
    expect(list.items.length).toBeGreaterThan(1);
  } finally {
    await daemon.stop();
    await rm(root, { recursive: true, force: true, maxRetries: 5 });
  }
});
