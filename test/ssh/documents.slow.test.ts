// Documents on a machine behind a real sshd: a row there shows those that were claimed for it there, and the agent is told to answer. What
// lies over there is hostile.
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { PaneDocument } from "../../core/model/view.ts";
import { createRouterCaller } from "../../core/rpc/messageBridge.ts";
import { openAgent } from "../actions/agentPane.ts";
import { runDoc } from "../actions/documentCommand.ts";
import { LIMIT_MS, openTargetHarness, type TargetHarness } from "./targetHarness.ts";

let harness: TargetHarness;
beforeAll(async () => {
  harness = await openTargetHarness("openssh");
}, LIMIT_MS * 3);
afterAll(() => harness.close());

const ofPane = async (ref: string): Promise<PaneDocument[]> =>
  (await createRouterCaller(harness.daemon.daemon.router).call({
    type: "mutation",
    path: "documents.ofPane",
    input: { ref },
    signal: new AbortController().signal,
  })) as PaneDocument[];

it(
  "are those that were claimed for a far pane, and nothing else of that machine",
  async () => {
    const folder = realpathSync(mkdtempSync(join(harness.tmux.folder, "far '$(touch x)")));
    mkdirSync(join(folder, ".agent-doc"));
    mkdirSync(join(folder, "sub"));
    writeFileSync(join(folder, "plan.md"), "# Plan\n\nGr\u00f6\u00dfe: which way?\n<!-- a marker -->\n");
    const agent = await openAgent(harness, {}, "far", join(folder, "sub"));
    const { pane_ref: ref } = agent.row.identity;
    await harness.daemon.until(
      agent.paneId,
      ({ activity }) => activity?.folder === join(folder, "sub"),
      LIMIT_MS,
    );
    expect(await ofPane(ref)).toEqual([]);
    // As it is typed on that machine.
    await runDoc(harness, folder, ["claim", "plan.md", "--pane", agent.paneId]);
    const registry = join(folder, ".agent-doc", "sessions.json");
    const entries = JSON.parse(readFileSync(registry, "utf8")) as Record<string, object>;
    const [[id, entry] = ["", {}]] = Object.entries(entries);
    const [found] = await ofPane(ref);
    expect(found).toMatchObject({ id, file: "plan.md", path: join(folder, "plan.md"), has_unsent: true });
    expect(found?.tail).toBe("Gr\u00f6\u00dfe: which way?");
    await runDoc(harness, folder, ["patch", "plan.md", "status", "half"]);
    expect(await ofPane(ref)).toMatchObject([{ has_unsent: false, tail: "half" }]);

    const row = await harness.daemon.until(agent.paneId, ({ state }) => state === "idle", LIMIT_MS);
    const more = { text: found?.trigger ?? "", pressEnter: true, toShell: false, idempotencyKey: null };
    await harness.service.send({ ...harness.request(row), ...more });
    expect(agent.received()).toEqual(["/agent-doc plan.md"]);

    symlinkSync("/etc/passwd", join(folder, "link.md"));
    writeFileSync(join(folder, "..", "outside.md"), "secret\n");
    for (const file of ["/etc/passwd", "../outside.md", "link.md", "gone.md", "sub", "a\nb.md", "-n"]) {
      writeFileSync(registry, JSON.stringify({ [id]: { ...entry, file } }));
      expect([file, await ofPane(ref)]).toEqual([file, []]);
    }
    for (const text of ["{ broken", "[]", `{"x":${"[".repeat(5_000)}`]) {
      writeFileSync(registry, text);
      expect([text.slice(0, 9), await ofPane(ref)]).toEqual([text.slice(0, 9), []]);
    }
    rmSync(folder, { recursive: true });
    expect(await ofPane(ref)).toEqual([]);
  },
  LIMIT_MS * 3,
);
