// Reads a folder in the layout of the recordings: one folder per agent, `labels.json` beside them. Every file is checked; a bad
// file becomes a problem with its name, and the others are used. Knows no agent.
import { existsSync, readFileSync, readdirSync, type Dirent } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { loadRecording, type Label, type Recording } from "../../adapters/testkit/recordings.ts";
import { CANONICAL_STATES, isWaiting } from "../../core/model/state.ts";

/** The label of a pane in which no agent runs any more. */
export const NO_AGENT = "none";

const WAITING_STATES: readonly string[] = CANONICAL_STATES.filter(isWaiting);
/** True for the labelled states in which the agent waits for a person. */
export const isWaitingState = (state: string): boolean => WAITING_STATES.includes(state);

const labelSchema = z.object({
  state: z.enum([...CANONICAL_STATES, NO_AGENT]),
  reason_code: z.string().optional(),
  also: z.array(z.enum(CANONICAL_STATES)).optional(),
});

const frameFileSchema = z.object({
  agent_version: z.string().optional(),
  pane: z
    .record(z.string(), z.string())
    .refine(
      (pane) => ["pane_width", "pane_height"].every((key) => /^[1-9]\d{0,3}$/.test(pane[key] ?? "120")),
      "pane_width and pane_height must be whole numbers",
    )
    .optional(),
  process_tree: z
    .array(z.object({ pid_offset: z.number(), ppid_offset: z.number(), comm: z.string(), args: z.string() }))
    .min(1, "an empty process tree tells no agent"),
  events: z
    .array(
      z.object({
        t: z.number(),
        tag: z.string(),
        pane: z.string().nullish(),
        payload: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
});

/** A labelled recording. `panes`: for each of its events the pane that it named, null for none. */
export interface Frame {
  agent: string;
  version: string;
  name: string;
  label: Label;
  recording: Recording;
  panes: readonly (string | null)[];
}

export interface CorpusProblem {
  file: string;
  problem: string;
}

const reasonOf = (error: unknown): string => {
  if (error instanceof z.ZodError)
    return error.issues.map(({ path, message }) => `${path.join(".") || "document"}: ${message}`).join("; ");
  return error instanceof Error ? error.message : String(error);
};

const readJson = (path: string): unknown => JSON.parse(readFileSync(path, "utf8"));

const readLabels = (folder: string, problems: CorpusProblem[]): Map<string, Label> => {
  const labels = new Map<string, Label>();
  const file = "labels.json";
  try {
    const entries = z.record(z.string(), z.unknown()).parse(readJson(join(folder, file)));
    for (const [key, value] of Object.entries(entries)) {
      const label = labelSchema.safeParse(value);
      if (label.success) {
        const { state, reason_code, also } = label.data;
        labels.set(key, {
          state,
          ...(reason_code === undefined ? {} : { reason_code }),
          ...(also === undefined ? {} : { also }),
        });
      } else problems.push({ file, problem: `${key}: ${reasonOf(label.error)}` });
    }
  } catch (error) {
    problems.push({ file, problem: `cannot be read: ${reasonOf(error)}` });
  }
  return labels;
};

/** @throws where it cannot be read. */
export const readFrame = (folder: string, agent: string, name: string, label: Label): Frame => {
  const file = frameFileSchema.parse(readJson(join(folder, agent, `${name}.json`)));
  const recording = loadRecording(join(folder, agent), name);
  if (recording.text.trim() === "" && label.state !== NO_AGENT) throw new Error("the frame's text is empty");
  return {
    agent,
    version: file.agent_version?.trim() || "version not recorded",
    name,
    label,
    recording,
    panes: (file.events ?? []).map(({ pane }) => pane ?? null),
  };
};

const framesOn = (folder: string, problems: CorpusProblem[]): string[] => {
  const listed = (path: string): Dirent[] => {
    try {
      return readdirSync(path, { withFileTypes: true });
    } catch (error) {
      problems.push({ file: path, problem: `cannot be listed: ${reasonOf(error)}` });
      return [];
    }
  };
  return listed(folder)
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: agent }) =>
      listed(join(folder, agent))
        .filter(({ name }) => name.endsWith(".txt") && name !== "osc-sequences.txt")
        .map(({ name }) => `${agent}/${name.slice(0, -".txt".length)}`),
    )
    .toSorted();
};

/** Never throws because of the folder's content: a file that cannot be used is reported as a problem. */
export const loadCorpus = (folder: string) => {
  const problems: CorpusProblem[] = [];
  if (!existsSync(folder)) return { frames: [], problems: [{ file: folder, problem: "no such folder" }] };
  const labels = readLabels(folder, problems);
  const present = framesOn(folder, problems);
  for (const key of present)
    if (!labels.has(key)) problems.push({ file: `${key}.txt`, problem: "has no label in labels.json" });
  const frames: Frame[] = [];
  for (const [key, label] of labels) {
    const [agent = "", name = ""] = key.split("/");
    if (!present.includes(key)) {
      problems.push({ file: `${key}.txt`, problem: "is labelled but missing" });
      continue;
    }
    try {
      frames.push(readFrame(folder, agent, name, label));
    } catch (error) {
      problems.push({ file: `${key}.json`, problem: reasonOf(error) });
    }
  }
  return {
    frames: frames.toSorted((a, b) => `${a.agent}/${a.name}`.localeCompare(`${b.agent}/${b.name}`)),
    problems,
  };
};

export type Corpus = ReturnType<typeof loadCorpus>;
