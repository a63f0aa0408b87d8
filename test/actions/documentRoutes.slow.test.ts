// Where a document's question goes, on real tmux with an agent that draws an input box: to its own pane, to one that nobody has, or to
// a new one; and the agent that takes the place of the command. A shell, another project's agent or another document's pane gets
// nothing.
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CLI_ENTRY } from "../../cli/testing/cliEntry.ts";
import { until } from "../setup/realClock.ts";
import { openStartHarness, type StartHarness } from "../workspaces/startHarness.ts";
import { runDoc } from "./documentCommand.ts";
import { claims, openProject, registryFile } from "./routedProject.ts";

const LIMIT_MS = 60_000;

let harness: StartHarness;
beforeAll(async () => {
  harness = await openStartHarness();
}, LIMIT_MS);
afterAll(() => harness.close(), LIMIT_MS);

const project = (name: string): string => openProject(harness, name);
const sessionOf = (pane: string | undefined): Promise<string> =>
  harness.tmux.run("display-message", "-p", "-t", pane ?? "", "#{session_name}");

describe("a document whose pane is gone (U8)", () => {
  let folder: string;
  const doc = (...args: string[]) => runDoc(harness, folder, args);

  it(
    "gets an agent in a new pane, which is told once, and is found there from then on",
    async () => {
      folder = project("garden");
      const { identity } = await harness.open("exec cat");
      await doc("claim", "plan.md", "--pane", identity.pane_id);
      await harness.tmux.run("kill-pane", "-t", identity.pane_id);
      const routed = await doc("route", "plan.md");
      expect([routed.code, routed.stderr]).toEqual([0, ""]);
      expect(harness.starts()).toEqual([{ folder, args: "" }]);
      expect(harness.received(folder)).toEqual(["/agent-doc plan.md"]);
      expect(await sessionOf(claims(folder)["plan.md"])).toBe("claude");
      // An editor is in no tmux, and knows only the registry.
      expect((await runDoc(harness, folder, ["route", "plan.md"], { env: { TMUX: "" } })).code).toBe(0);
      expect([harness.starts().length, harness.received(folder).length]).toEqual([1, 2]);
    },
    LIMIT_MS,
  );

  it(
    "gets the agent that rests in front and that no document has; a second document gets one of its own",
    async () => {
      const before = claims(folder);
      rmSync(registryFile(folder));
      const taken = await doc("route", "plan.md");
      expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining("Claimed plan.md")]);
      expect([claims(folder), harness.starts().length]).toEqual([before, 1]);
      writeFileSync(join(folder, "other.md"), "# Other\n");
      expect((await doc("route", "other.md")).code).toBe(0);
      expect([harness.starts().length, harness.received(folder).at(-1)]).toEqual([2, "/agent-doc other.md"]);
      expect(claims(folder)["other.md"]).not.toBe(claims(folder)["plan.md"]);
    },
    LIMIT_MS,
  );

  it(
    "never gets the agent of another project, or of another kind",
    async () => {
      folder = project("kitchen");
      const seen = harness.received(join(harness.root, "garden")).length;
      writeFileSync(join(folder, "plan.md"), "---\nagent: nobody\n---\n# Plan\n");
      const text = readFileSync(join(folder, "plan.md"), "utf8");
      const unknown = await doc("route", "plan.md");
      expect([unknown.code, unknown.stderr]).toEqual([
        2,
        expect.stringContaining("there is no agent 'nobody'"),
      ]);
      expect([readFileSync(join(folder, "plan.md"), "utf8"), claims(folder)]).toEqual([text, {}]);
      writeFileSync(join(folder, "plan.md"), "# Plan\n");
      expect((await doc("route", "plan.md")).code).toBe(0);
      expect(harness.received(folder)).toEqual(["/agent-doc plan.md"]);
      expect(harness.received(join(harness.root, "garden")).length).toBe(seen);
    },
    LIMIT_MS,
  );
});

it(
  "the picker names the documents of the pane that it shows, and tells its agent to answer in one after a yes",
  async () => {
    const variables = `AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1`;
    const command = `env -u TMUX ${variables} '${process.execPath}' '${CLI_ENTRY}' pick`;
    const size = ["-x", "150", "-y", "40"];
    const pane = await harness.tmux.run(
      "new-session",
      "-d",
      "-P",
      "-F",
      "#{pane_id}",
      "-s",
      "person",
      ...size,
      command,
    );
    await until(async () => /D (plan|other)\.md\*/.test(await harness.screen(pane)), "it names one", 20_000);
    const received = () =>
      ["garden", "kitchen"].flatMap((name) => harness.received(join(harness.root, name)));
    const before = received();
    const key = (name: string) => harness.tmux.run("send-keys", "-t", pane, name);
    const asks = async (): Promise<string | undefined> =>
      /Let the agent answer in (\w+\.md)\?/.exec(await harness.screen(pane))?.[1];
    await key("?");
    await until(
      async () => /D +Let the agent answer in its document/.test(await harness.screen(pane)),
      "the sheet of keys has it",
      20_000,
    );
    await key("Escape");
    await until(
      async () => /D (plan|other)\.md\*/.test(await harness.screen(pane)),
      "the list is back",
      20_000,
    );
    await key("D");
    await until(async () => (await asks()) !== undefined, "it asks", 20_000);
    // It has to be read before it is answered.
    await new Promise((next) => setTimeout(next, 600));
    await key("n");
    await until(async () => (await asks()) === undefined, "it leaves", 20_000);
    expect(received()).toEqual(before);
    await key("D");
    await until(async () => (await asks()) !== undefined, "it asks again", 20_000);
    const name = await asks();
    await new Promise((next) => setTimeout(next, 600));
    await key("y");
    await until(() => received().length === before.length + 1, "the agent is told", 20_000);
    expect(received()).toContain(`/agent-doc ${name}`);
    await harness.tmux.run("kill-session", "-t", "person");
  },
  LIMIT_MS,
);

describe("start (U1)", () => {
  const openStart = async (folder: string, file: string): Promise<string> => {
    // Of another version than the server, it would not be understood.
    const tmux = (process.env["PATH"] ?? "").split(":").find((one) => existsSync(join(one, "tmux"))) ?? "";
    const path = `${tmux}:${dirname(process.execPath)}:${join(harness.daemon.home, "own-bin")}:/usr/bin:/bin`;
    const command = `cd '${folder}' && env PATH='${path}' AGTMUX_HOME='${harness.daemon.paths.home}' AGTMUX_NO_START=1 CLAUDECODE=1 '${process.execPath}' '${CLI_ENTRY}' doc start ${file}; exec cat`;
    return harness.tmux.run("new-window", "-d", "-P", "-F", "#{pane_id}", "-t", "base:", command);
  };

  it(
    "becomes the agent of the pane that the document has from then on",
    async () => {
      const folder = project("cellar");
      const pane = await openStart(folder, "plan.md");
      await harness.daemon.untilState(pane, "idle", 20_000);
      expect([claims(folder), harness.starts().at(-1)]).toEqual([{ "plan.md": pane }, { folder, args: "" }]);
      const routed = await runDoc(harness, folder, ["route", "plan.md"]);
      expect([routed.code, harness.received(folder)]).toEqual([0, ["/agent-doc plan.md"]]);
      expect(await harness.screen(pane)).not.toContain("Warning");
    },
    LIMIT_MS,
  );

  it(
    "changes nothing where there is no terminal, or no such program",
    async () => {
      const folder = project("shed");
      const piped = await runDoc(harness, folder, ["start", "plan.md"], { pane: "%0" });
      expect([piped.code, piped.stderr]).toEqual([15, expect.stringContaining("needs a terminal")]);
      const text = "---\nagent: cursor\n---\n# Plan\n";
      writeFileSync(join(folder, "plan.md"), text);
      const pane = await openStart(folder, "plan.md");
      await until(async () => (await harness.screen(pane)).includes("agtmux:"), "it says why", 20_000);
      expect((await harness.screen(pane)).replaceAll("\n", " ")).toContain("isn't on PATH");
      expect([readFileSync(join(folder, "plan.md"), "utf8"), claims(folder)]).toEqual([text, {}]);
    },
    LIMIT_MS,
  );
});
