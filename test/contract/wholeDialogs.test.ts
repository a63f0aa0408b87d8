// Every kind of dialog that was recorded, read by a person: what is in sight of it, whether that is all that it asks, and what
// may be approved with the events that announced it. An adapter that says more than the facts lets somebody approve what
// nobody saw.
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createAdapterRegistry } from "../../adapters/index.ts";
import { listFrames, loadRecording, screenOf } from "../../adapters/testkit/recordings.ts";
import { shownPrompt } from "../../core/engine/dialogOwner.ts";
import { mayAnswer, type PromptRequest } from "../../core/model/request.ts";
import type { AgentAdapter } from "../../core/ports/agentAdapter.ts";
import { CLAUDE } from "./dialogs/claude.ts";
import { CODEX } from "./dialogs/codex.ts";
import { COPILOT } from "./dialogs/copilot.ts";
import { GEMINI } from "./dialogs/gemini.ts";
import { handedOn } from "./dialogs/handedOn.ts";
import { OPENCODE } from "./dialogs/opencode.ts";
import { OMP, PI } from "./dialogs/piFamily.ts";
import type { Row, Seen, WithEvent } from "./dialogs/row.ts";

const DIALOGS = fileURLToPath(new URL("../fixtures/dialogs", import.meta.url));
const TABLES: Readonly<Record<string, readonly Row[]>> = {
  claude: CLAUDE,
  codex: CODEX,
  copilot: COPILOT,
  gemini: GEMINI,
  omp: OMP,
  opencode: OPENCODE,
  pi: PI,
};
const registry = createAdapterRegistry();

const announcedBy = async (adapter: AgentAdapter, frame: string): Promise<PromptRequest[]> => {
  const { events } = loadRecording(`${DIALOGS}/${adapter.agentType}`, frame);
  return (await handedOn(adapter.agentType, events)).flatMap(({ name, payload }) => {
    const envelope = { agentType: adapter.agentType, eventName: name, payload, payloadProblem: null };
    const place = { spoolName: "1", tmuxSocket: null, tmuxServerPid: null, paneId: null, parentPid: null };
    return adapter
      .normalize({ ...envelope, ...place, eventTime: 0 }, { confirmRequests: false })
      .signals.flatMap((signal) => (signal.kind === "request" ? [signal.request] : []));
  });
};

const asSeen = ({ kind, isWhole, body, content }: PromptRequest): Seen => ({
  kind,
  isWhole: isWhole === true,
  body: body?.split("\n") ?? null,
  ...(content === undefined || content === null ? {} : { content: content.split("\n") }),
});

const outcomeOf = (
  announced: PromptRequest,
  seen: PromptRequest | null,
  others: readonly PromptRequest[] = [],
): WithEvent => {
  const open = others.map((request) => ({ request, isLive: true, hasKey: true }));
  const shown = seen === null ? null : shownPrompt(announced, seen, open);
  if (shown === null) return "other";
  return shown.isWhole === true ? "whole" : "part";
};

const agents = Object.entries(TABLES).flatMap(([agentType, rows]) => {
  const adapter = registry.byAgentType(agentType);
  return adapter === null ? [] : [{ agentType, adapter, rows }];
});

it("every recorded dialog is in the table of its agent", () => {
  expect(readdirSync(DIALOGS).toSorted()).toEqual(agents.map(({ agentType }) => agentType).toSorted());
  for (const { agentType, rows } of agents)
    expect(rows.map(({ frame }) => frame).toSorted()).toEqual(listFrames(`${DIALOGS}/${agentType}`));
});

describe.each(agents)("$agentType draws", ({ agentType, adapter, rows }) => {
  it.each(rows)("$frame: $why", async ({ frame, seen, top, events, together }) => {
    const reading = adapter.readScreen(screenOf(loadRecording(`${DIALOGS}/${agentType}`, frame)));
    const request = reading?.request ?? null;
    expect(request === null ? null : asSeen(request)).toEqual(seen);
    expect(reading?.dialogTop ?? null).toBe(top);
    const announced = await announcedBy(adapter, frame);
    expect(announced.map((one) => outcomeOf(one, request))).toEqual(events);
    const othersOf = (one: PromptRequest) => announced.filter((other) => other !== one);
    if (together !== undefined)
      expect(announced.map((one) => outcomeOf(one, request, othersOf(one)))).toEqual(together);
  });

  it("no approval of anything but what is whole, and always a refusal", () => {
    for (const { frame } of rows) {
      const request = adapter.readScreen(screenOf(loadRecording(`${DIALOGS}/${agentType}`, frame)))?.request;
      const roles = request?.options.map(({ role }) => role) ?? [];
      const allowed = roles.filter((role) => mayAnswer(request?.isWhole === true, role));
      expect(allowed.includes("approve"), frame).toBe(request?.isWhole === true);
      // Of a list of options that is cut off the refusal may be out of sight.
      if (roles.includes("deny")) expect(allowed, frame).toContain("deny");
    }
  });
});

it("a tool is named where its name is not a part of what it is given", () => {
  const titles = [
    ["claude", "mcp_80x24", "Tool use: lab — Send Note Tool: (MCP)"],
    ["codex", "mcp_80x24", 'Allow the lab MCP server to run tool "send_note"?'],
    ["copilot", "mcp_120x40", "send_note"],
    ["gemini", "mcp_80x24", 'Allow execution of MCP tool "send_note" from server "lab"?'],
    ["opencode", "mcp_120x40", "Call tool lab_send_note"],
    ["omp", "tool_80x24", "Allow tool: eval"],
  ] as const;
  const read = (agentType: string, frame: string) =>
    registry.byAgentType(agentType)?.readScreen(screenOf(loadRecording(`${DIALOGS}/${agentType}`, frame)));
  expect(
    titles.map(([agentType, frame]) => [agentType, frame, read(agentType, frame)?.request?.title]),
  ).toEqual(titles);
});

describe("whatever of a dialog is cut off above,", () => {
  it.each(agents)("no rest of one of $agentType is whole", ({ agentType, adapter, rows }) => {
    for (const { frame } of rows) {
      const screen = screenOf(loadRecording(`${DIALOGS}/${agentType}`, frame));
      const full = adapter.readScreen(screen);
      const top = full?.dialogTop;
      if (full === null || full.request === null || top === undefined) continue;
      for (let from = top + 1; from < screen.lines.length; from += 1) {
        const rest = adapter.readScreen({ ...screen, lines: screen.lines.slice(from) })?.request ?? null;
        expect(rest?.isWhole, `${frame} from row ${from}`).not.toBe(true);
      }
    }
  });
});
