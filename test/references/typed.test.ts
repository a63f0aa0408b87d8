// What a typed reference hits, in short: ids, servers that nobody watches, a command in a pane. That it is what
// tmux means by the same text is in typed.slow.test.ts.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { explanationSchema } from "../../core/model/view.ts";
import { serveDaemon } from "../harness/commandLine.ts";
import { createPrivateTmux } from "../harness/privateTmux.ts";
import { insideOf, useTypedServers } from "./typedHarness.ts";

const servers = useTypedServers({ isShared: true });
const { hitBy, detailsOf } = servers;

describe("a typed reference", () => {
  it("by an id means the server that one is in, and outside of tmux only an id that is there once", async () => {
    const [mine, others] = [
      { insideTmux: await insideOf(servers.near), tmuxPane: "%0" },
      { insideTmux: await insideOf(servers.far), tmuxPane: "%0" },
    ];
    const alone = await servers.near.run(
      "split-window",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      "-t",
      "base:0",
      "exec cat",
    );
    expect(await hitBy("%0", mine)).toBe("sock %0");
    expect(await hitBy("%0", others)).toBe("sock-2 %0");
    expect([await hitBy(".", mine), await hitBy(".", others)]).toEqual(["sock %0", "sock-2 %0"]);
    expect(await hitBy("%0")).toBe("E_REF_AMBIGUOUS");
    expect(await detailsOf("%0")).toEqual([
      "host:sock-2/%0 in base:0.0, no agent",
      "host:sock/%0 in base:0.0, no agent",
    ]);
    expect(await hitBy(alone)).toBe(`sock ${alone}`);
    // A pane of the other server is named, and not taken.
    expect(await hitBy(alone, others)).toBe("E_REF_NOT_FOUND");
    expect(await detailsOf(alone, others)).toEqual([`host:sock/${alone} in base:0.1, no agent`]);
    expect(await hitBy(`host:sock/${alone}`, others)).toBe(`sock ${alone}`);
    expect(await hitBy("host/%0", mine)).toBe("E_REF_NOT_FOUND");
  });

  it("in a tmux server that is not watched means nothing of another one", async () => {
    const unwatched = createPrivateTmux();
    try {
      await unwatched.newSession("base");
      const caller = { insideTmux: await insideOf(unwatched), tmuxPane: "%0" };
      for (const text of ["%0", "base:0.0", "base", "."])
        expect([text, await hitBy(text, caller)]).toEqual([text, "E_REF_NOT_FOUND"]);
      // The same socket file with another server behind it, and what tmux never writes.
      for (const insideTmux of [`${servers.near.socketPath},1,0`, "near", servers.near.socketPath])
        expect(await hitBy("%0", { insideTmux, tmuxPane: "%0" })).toBe("E_REF_NOT_FOUND");
      expect(await hitBy("host:sock/base:0.0", caller)).toBe("sock %0");
    } finally {
      await unwatched.close();
    }
  });

  it("that a command is given in a pane means the tmux server of that pane", async () => {
    const stop = await serveDaemon(servers.daemon);
    try {
      for (const [tmux, server] of [
        [servers.near, "sock"],
        [servers.far, "sock-2"],
      ] as const) {
        const said = join(tmux.folder, "said");
        const command = `'${process.execPath}' '${CLI_ENTRY}' explain . --json >'${said}'; tmux wait-for -S said; exec cat`;
        const env = ["-e", `AGTMUX_HOME=${servers.daemon.paths.home}`, "-e", "AGTMUX_NO_START=1"];
        const paneId = await tmux.run(
          "new-window",
          "-dP",
          "-F",
          "#{pane_id}",
          ...env,
          "-t",
          "base:",
          command,
        );
        await tmux.run("wait-for", "said");
        const { pane } = explanationSchema.parse(JSON.parse(readFileSync(said, "utf8")));
        expect(pane.short_ref).toBe(`host:${server}/${paneId}`);
      }
    } finally {
      await stop();
    }
  }, 30_000);
});
