// `agtmux history handoff --ask`: the agent that has the session open writes what another agent needs. It is asked through the
// gate, like anything that a person sends, and only while it rests; its answer is read from its log, which has all of it.
import { setTimeout as wait } from "node:timers/promises";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { HistoryHandoff, HistorySession } from "../../core/model/history.ts";
import { stamp } from "../../core/model/schemaVersion.ts";
import type { PaneView } from "../../core/model/view.ts";
import { refreshHistory } from "./history.ts";
import type { CliContext, DaemonClient } from "../command/context.ts";
import { waitForRow } from "./wait.ts";

const HEADINGS = "Goal, Constraints, Progress, Decisions, Context, Next steps";
const MAX_LENGTH = 12_000;
const QUESTION = `Another coding agent takes over this work. Write what it needs to know, in Markdown, with the headings ${HEADINGS}. Name the files that matter and what is still open. Use no tools, change nothing, and answer with that text alone, in at most 10,000 characters.`;
const LIMIT_MS = 10 * 60_000;
/** An agent may write its log a moment after its turn. */
const LOG_LIMIT_MS = 5_000;
const LOG_EVERY_MS = 500;

const refuse = (message: string, remedy: string): AgtmuxError =>
  new AgtmuxError("E_WORKSPACE_REFUSED", message, { remedy });
const FROM_LOG = "Leave --ask out: then it is put together from the log.";

/** The row of the agent that has the session open. Fails unless it rests. */
const restingRow = async (
  client: DaemonClient,
  { pane_ref: ref, short_ref }: HistorySession,
): Promise<PaneView> => {
  if (ref === null) throw refuse(`no agent is known to have session ${short_ref} open`, FROM_LOG);
  const { pane } = await client.call((api) => api.explain.query({ ref }));
  if (pane.state !== "idle" && pane.state !== "completed")
    throw refuse(
      `${pane.short_ref} isn't idle, so it can't be asked now`,
      `Wait until it does, or: ${FROM_LOG}`,
    );
  return pane;
};

/** The agent's last text since the question; empty: none yet. Known secrets are taken out. */
const readAnswer = async (context: CliContext, client: DaemonClient, ref: string): Promise<string> => {
  await refreshHistory(context, client);
  const { entries } = await client.call((api) => api.history.read.query({ ref, redact: true }));
  const asked = entries.findLastIndex(({ role, text }) => role === "user" && text.includes(HEADINGS));
  const said = asked === -1 ? [] : entries.slice(asked + 1).filter(({ role }) => role === "agent");
  return said.at(-1)?.text.trim() ?? "";
};

/** Waits for the end of its turn, after this version of its state. */
const untilEnded = async (
  context: CliContext,
  { identity, short_ref }: PaneView,
  after: number,
): Promise<PaneView> => {
  const row = await waitForRow(context, `runtime:${identity.runtime_id ?? ""}`, {
    conditions: ["completed", "needs-action", "error", "idle"],
    after,
    timeoutMs: LIMIT_MS,
    tooLate: `${short_ref} did not end its turn within ${LIMIT_MS / 60_000} minutes`,
  });
  if (row === null) throw refuse("what is handed over was not waited for", FROM_LOG);
  if (row.state === "error") throw refuse(`${short_ref} failed while it wrote`, FROM_LOG);
  if (row.needs_action)
    throw refuse(`${short_ref} asks something instead of writing`, `Answer it in its pane, or: ${FROM_LOG}`);
  if (row.reason_code === "interrupted")
    throw refuse(`${short_ref} was interrupted while it wrote`, FROM_LOG);
  return row;
};

/** @throws AgtmuxError where its turn ends badly, or without a word. */
const waitForAnswer = async (
  context: CliContext,
  client: DaemonClient,
  { ref, asked }: { ref: string; asked: PaneView },
): Promise<string> => {
  for (let after = asked.state_version; ;) {
    const row = await untilEnded(context, asked, after);
    for (const deadline = performance.now() + LOG_LIMIT_MS; ;) {
      const answer = await readAnswer(context, client, ref);
      if (answer !== "") return answer;
      if (performance.now() > deadline) break;
      await wait(LOG_EVERY_MS, undefined, { signal: context.signal });
    }
    if (row.state === "completed")
      throw refuse(`${row.short_ref} wrote nothing that could be handed over`, FROM_LOG);
    // By a screen alone, an agent may look at rest for a moment before it begins.
    after = row.state_version;
  }
};

/** @throws AgtmuxError that says whether it could not be asked, failed, was interrupted or wrote nothing. */
export const askForHandoff = async (
  context: CliContext,
  client: DaemonClient,
  ref: string,
): Promise<HistoryHandoff> => {
  const session = await client.call((api) => api.history.find.query({ ref }));
  const row = await restingRow(client, session);
  const sent = await client.call((api) =>
    api.send.mutate({
      ref: `runtime:${row.identity.runtime_id ?? ""}`,
      guards: { ifVersion: row.state_version },
      surface: "cli",
      text: QUESTION,
      pressEnter: true,
      toShell: false,
      idempotencyKey: null,
    }),
  );
  if (sent.outcome === "not_delivered")
    throw refuse(`${row.short_ref} was not asked: ${sent.detail}`, FROM_LOG);
  context.stderr.write(`agtmux: ${row.short_ref} writes what is handed over …\n`);
  const answer = await waitForAnswer(context, client, { ref, asked: row });
  const text = `# Work handed over from ${session.agent_name}

You take over work that another coding agent began. It wrote this itself. Look at the files and at git before you rely on it.

${answer.slice(0, MAX_LENGTH)}
`;
  return {
    ...stamp(context.now()),
    session,
    text,
  };
};
