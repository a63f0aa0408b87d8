// Which of gjc's workflow skills are at work, and in which phase, from the state files that it keeps in its project. Documented,
// never recorded: whatever is not as documented says nothing. A file counts only when it names this agent's own session, because
// another gjc may work in the same folder.
import * as z from "zod";
import type { StateFileRequest } from "../../core/ports/agentAdapter.ts";
import { progressOf, quoteOf } from "../common/progress.ts";
import { findSessionFile } from "../piFamily/sessionFile.ts";

const MAX_BYTES = 256 * 1024;
/** As long as gjc itself calls a skill's state fresh. */
const FRESH_MS = 30 * 60_000;
/** Of these stages only the newest is under way: each hands over to the next. */
const PIPELINE = new Set(["deep-interview", "ralplan", "ultragoal"]);
const MAX_SKILLS = 20;

const skillSchema = z.object({
  skill: z.string(),
  phase: z.string().optional(),
  active: z.boolean().optional(),
  session_id: z.string().optional(),
  updated_at: z.string().optional(),
  handoff_to: z.string().nullish(),
});
type Skill = z.infer<typeof skillSchema>;

const stateSchema = z.object({
  version: z.literal(1),
  active: z.boolean(),
  session_id: z.string().optional(),
  updated_at: z.string(),
  active_skills: z.array(z.unknown()).optional(),
});

const timeOf = (text: string | undefined): number => Date.parse(text ?? "");

/** Under way in this session, and its state was written lately. */
const isAtWork = (
  skill: Skill,
  sessionId: string,
  { now, toldAt }: { now: number; toldAt: number },
): boolean => {
  const at = Number.isNaN(timeOf(skill.updated_at)) ? toldAt : timeOf(skill.updated_at);
  return (
    skill.active !== false &&
    (skill.handoff_to === undefined || skill.handoff_to === null) &&
    (skill.session_id === undefined || skill.session_id === sessionId) &&
    now - at <= FRESH_MS
  );
};

/** The newest of each skill, and of the pipeline's stages only the newest. */
const merged = (skills: readonly Skill[]): Skill[] => {
  const newest = new Map<string, Skill>();
  for (const skill of skills.toSorted((a, b) => (timeOf(a.updated_at) || 0) - (timeOf(b.updated_at) || 0))) {
    const lane = PIPELINE.has(skill.skill) ? "pipeline" : skill.skill;
    newest.delete(lane);
    newest.set(lane, skill);
  }
  return [...newest.values()];
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Caught in the middle of a rewrite: the next read has it whole.
    return null;
  }
};

/** `ralplan: critic`, several skills in order of their last change; null where the text is not as documented. */
export const skillLine = (text: string, sessionId: string, now: number): string | null => {
  const state = stateSchema.safeParse(parse(text));
  if (!state.success || !state.data.active) return null;
  const { session_id: owner, updated_at: updatedAt, active_skills: entries } = state.data;
  const toldAt = timeOf(updatedAt);
  if (owner !== sessionId || Number.isNaN(toldAt)) return null;
  const skills = (entries ?? [])
    .slice(0, MAX_SKILLS)
    .flatMap((entry) => skillSchema.safeParse(entry).data ?? [])
    .filter((skill) => isAtWork(skill, sessionId, { now, toldAt }));
  return progressOf(
    ...merged(skills).map(({ skill, phase }) => quoteOf(phase === undefined ? skill : `${skill}: ${phase}`)),
  );
};

/** Session ids become names of folders: percent-encoded, dots as well. Half a character has no such form. */
const folderNameOf = (sessionId: string): string =>
  encodeURIComponent(sessionId.toWellFormed()).replaceAll(".", "%2E");

const sessionIdOf = async (request: StateFileRequest): Promise<string | null> => {
  if (request.agentSessionId !== null) return request.agentSessionId;
  const { id } = (await findSessionFile(request))?.header ?? {};
  return typeof id === "string" && id !== "" ? id : null;
};

/** Null without a session of its own, without a folder, and where no file speaks of that session. `now`: epoch ms. */
export const createSkillReader =
  (now: () => number) =>
  async (request: StateFileRequest): Promise<string | null> => {
    const { files, process } = request;
    const cwd = request.cwd ?? (await files.readLink(`/proc/${process.pid}/cwd`));
    const sessionId = cwd === null ? null : await sessionIdOf(request);
    if (cwd === null || sessionId === null) return null;
    const folder = `${cwd}/.gjc/state`;
    for (const path of [
      `${folder}/sessions/${folderNameOf(sessionId)}/skill-active-state.json`,
      `${folder}/skill-active-state.json`,
    ]) {
      const text = await files.readText(path, MAX_BYTES);
      const line = text === null ? null : skillLine(text, sessionId, now());
      if (line !== null) return line;
    }
    return null;
  };
