// What the scripted model is told to do: a keyword in the last message that a person typed. The prompt is the script, so that a
// driver needs no second channel to the model, and a person can drive an agent by hand.
//
//   SAY text · SLOW seconds · THINK seconds · RUN command (`!!` at the end: outside of the sandbox) · WRITE file · EDIT file ·
//   ASK [several|multi|for …] · PLAN · TASK directive · TOOL name {json} · FAIL status · LIMIT minutes · CUT
export const VERBS = [
  "SAY",
  "SLOW",
  "THINK",
  "RUN",
  "WRITE",
  "EDIT",
  "ASK",
  "PLAN",
  "TASK",
  "TOOL",
  "FAIL",
  "LIMIT",
  "CUT",
] as const;
export type Verb = (typeof VERBS)[number];

export interface Directive {
  verb: Verb;
  rest: string;
}

/** What agents add to a person's message by themselves. */
const ADDED = [
  /<system-reminder>[\s\S]*?<\/system-reminder>/g,
  /<(environment_context|user_instructions|session_context|current_datetime|reminder|system_notification)>[\s\S]*?<\/\1>/g,
];
const DIRECTIVE = new RegExp(`(?:^|[^A-Za-z_/.-])(${VERBS.join("|")})\\b[ \\t]*([^\\n]*)`, "g");

/** The text without what the agent itself added. */
export const personsText = (text: string): string =>
  ADDED.reduce((left, pattern) => left.replace(pattern, ""), text);

/** The last directive of the text; null: there is none. `TASK RUN …` is one of TASK: what stands behind it is its own. */
export const readDirective = (text: string): Directive | null => {
  const last = [...personsText(text).matchAll(DIRECTIVE)].at(-1);
  return last === undefined ? null : { verb: last[1] as Verb, rest: (last[2] ?? "").trim() };
};
