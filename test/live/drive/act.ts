// Actions as a person or a script gives them on the command line, with what came back and how long it took.
import * as z from "zod";
import { paneViewSchema, type PaneView } from "../../../core/model/view.ts";
import type { Stage } from "./stage.ts";

const SAID_CHARS = 300;
const saidSchema = z.looseObject({
  detail: z.string().optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const waitedSchema = z.looseObject({ items: z.array(paneViewSchema) });

export interface Acted {
  code: number | null;
  /** What it said, in one line. */
  said: string;
  stdout: string;
}

/** What a result or an error says, without its stamps. */
const sentenceOf = (text: string): string => {
  try {
    const { detail, error } = saidSchema.parse(JSON.parse(text));
    return detail ?? error?.message ?? text;
  } catch {
    // Not every verb was asked for JSON.
    return text;
  }
};

export const act = async (stage: Stage, ...args: readonly string[]): Promise<Acted> => {
  const began = Date.now();
  const { code, stdout, stderr } = await stage.rig.product.run(...args);
  const sentence = sentenceOf(stdout || stderr)
    .replaceAll(/\s+/g, " ")
    .slice(0, SAID_CHARS);
  return { code, said: `exit ${code} after ${Date.now() - began} ms: ${sentence}`, stdout };
};

/** The reference of exactly this start of the agent, and the version of its state now. @throws Error when there is no row. */
export const referenceOf = async (stage: Stage): Promise<{ ref: string; version: number }> => {
  const row = await stage.rig.product.row(stage.pane.paneId);
  const runtime = row?.identity.runtime_id ?? null;
  if (row === null || runtime === null) throw new Error("agtmux has no row of the agent");
  return { ref: `runtime:${runtime}`, version: row.state_version };
};

/** `agtmux wait` for a state that is newer than `version`; null: it gave up, or failed. */
export const waitFor = async (
  stage: Stage,
  options: { ref: string; until: string; after: number; seconds: number },
): Promise<{ row: PaneView | null; acted: Acted }> => {
  const { ref, until, after, seconds } = options;
  const more = ["--after", String(after), "--timeout", `${seconds}s`, "--json"];
  const acted = await act(stage, "wait", ref, "--until", until, ...more);
  if (acted.code !== 0) return { row: null, acted };
  return { row: waitedSchema.parse(JSON.parse(acted.stdout)).items[0] ?? null, acted };
};

/** The exit status of `answer --approve` where what is approved was not shown whole. */
const NOT_SHOWN_WHOLE = 26;

/** Approving is refused by rule: by the screen alone, nobody has seen the whole of what this agent asks. */
export const isRefusedByRule = ({ rig }: Stage, answer: readonly string[]): boolean =>
  answer.includes("--approve") && rig.mode === "screen" && !rig.agent.showsWhole;

export const wasRefused = ({ code }: Acted): boolean => code === NOT_SHOWN_WHOLE;

export interface Prompted {
  ref: string;
  fingerprint: string;
  row: PaneView;
}

/** Sends a prompt and waits until agtmux says that the agent asks; what went wrong instead is a text. */
export const promptAgent = async (stage: Stage, prompt: string): Promise<Prompted | string> => {
  const { ref, version } = await referenceOf(stage);
  const sent = await act(stage, "send", ref, "--text", prompt, "--json");
  if (sent.code !== 0) return `send: ${sent.said}`;
  const { row, acted } = await waitFor(stage, { ref, until: "needs-action", after: version, seconds: 15 });
  if (row === null) return `wait: ${acted.said}`;
  if (row.prompt_fingerprint === null)
    return `the wait ${row.state}/${row.reason_code} came without a fingerprint`;
  return { ref, fingerprint: row.prompt_fingerprint, row };
};
