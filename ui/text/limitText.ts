// The words of limits: what agents say of their accounts, as far as it counts at a moment, the quiet line when one is nearly used up,
// and which account has room. For the popover, the picker and the command line. Pure.
import { isLimit } from "../../core/model/needs.ts";
import type { AccountLimits, PaneView, TargetView } from "../../core/model/view.ts";
import type { StartableAgent } from "../../core/model/workspace.ts";
import { formatAge } from "../../core/model/words.ts";
import { displayLine } from "./displayText.ts";
import { THIS_MACHINE } from "./sessionText.ts";

/** From above this share on a person is told. */
const NEARLY_PERCENT = 80;
const USED_UP_PERCENT = 100;
/** Accounts that the quiet line names. */
const MAX_NAMED = 2;

type Window = AccountLimits["windows"][number];

/** Without what is over at `now` (epoch ms); null: nothing is left of it. */
const currentOf = (limits: AccountLimits, now: number): AccountLimits | null => {
  const isAhead = (at: string): boolean => Date.parse(at) > now;
  const windows = limits.windows.filter(({ resets_at: at }) => isAhead(at));
  const reached =
    limits.reached_until !== null && isAhead(limits.reached_until) ? limits.reached_until : null;
  return windows.length === 0 && reached === null ? null : { ...limits, windows, reached_until: reached };
};

export const currentLimits = (all: readonly AccountLimits[], now: number): AccountLimits[] =>
  all.flatMap((one) => currentOf(one, now) ?? []);

/** `Codex`, or `Codex (work)` where a person has several accounts. */
export const accountText = ({ agent_name: name, account }: AccountLimits): string =>
  displayLine(account === null ? name : `${name} (${account})`);

const UNITS = [
  [1_440, "day"],
  [60, "hour"],
  [1, "minute"],
] as const;

/** `5 hours`, `7 days`; a length that it does not say is `the limit`. */
export const lengthText = (minutes: number | null): string => {
  for (const [size, unit] of UNITS)
    if (minutes !== null && minutes % size === 0)
      return `${minutes / size} ${unit}${minutes === size ? "" : "s"}`;
  return "the limit";
};

export const percentText = (percent: number): string => `${Math.floor(percent)} %`;

const resetText = (at: string, now: number): string => `resets in ${formatAge(Date.parse(at) - now)}`;

const windowText = ({ used_percent: used, minutes, resets_at: at }: Window, now: number): string =>
  `${percentText(used)} of ${lengthText(minutes)} used, ${resetText(at, now)}`;

/** What counts of one account at `now`: `12 % of 5 hours used, resets in 2h; 40 % of 7 days used, resets in 3d`. */
export const limitParts = (limits: AccountLimits, now: number): string[] => {
  const current = currentOf(limits, now);
  if (current === null) return [];
  const { windows, reached_until: reached } = current;
  return [
    ...(reached === null ? [] : [`limit reached, ${resetText(reached, now)}`]),
    ...windows.map((window) => windowText(window, now)),
  ];
};

/** One account on one line; empty where nothing counts any more. */
export const limitLine = (limits: AccountLimits, now: number): string => {
  const parts = limitParts(limits, now);
  if (parts.length === 0) return "";
  const said =
    limits.said_at === null ? "" : ` (as of ${formatAge(Math.max(0, now - Date.parse(limits.said_at)))} ago)`;
  return `${accountText(limits)}: ${parts.join("; ")}${said}`;
};

const usedMost = ({ windows }: AccountLimits): Window | null =>
  windows.toSorted((one, other) => other.used_percent - one.used_percent)[0] ?? null;

/** True where it says that there is room in every window, and no agent of it stopped at a limit. */
export const isFree = (limits: AccountLimits, now: number): boolean => {
  const current = currentOf(limits, now);
  if (current === null || current.windows.length === 0 || current.reached_until !== null) return false;
  return current.windows.every(({ used_percent: used }) => used < USED_UP_PERCENT);
};

/** True where it says that nothing more can be used now. */
export const isUsedUp = (limits: AccountLimits, now: number): boolean => {
  const current = currentOf(limits, now);
  if (current === null) return false;
  return (
    current.reached_until !== null ||
    current.windows.some(({ used_percent: used }) => used >= USED_UP_PERCENT)
  );
};

/** `Codex: 86 % of 5 hours used, resets in 2h`: the accounts of which more than four fifths are used; empty where none is. */
export const nearlyUsedText = (targets: Iterable<TargetView>, now: number): string => {
  const near = [...targets].flatMap((target) =>
    currentLimits(target.limits, now).flatMap((one) => {
      const most = usedMost(one);
      const where = target.target === THIS_MACHINE ? "" : ` on ${displayLine(target.target)}`;
      return most === null || most.used_percent <= NEARLY_PERCENT
        ? []
        : [{ most, text: `${accountText(one)}${where}: ${windowText(most, now)}` }];
    }),
  );
  const texts = near
    .toSorted((one, other) => other.most.used_percent - one.most.used_percent)
    .map(({ text }) => text);
  const more = texts.length - MAX_NAMED;
  return [...texts.slice(0, MAX_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(" · ");
};

// Handing over: whom, where an account is used up.

/** It stopped at a limit of its provider. */
export const isAtLimit = ({ state, reason_code: reason }: PaneView): boolean =>
  state === "error" && isLimit(reason);

export interface AgentChoice {
  /** As the form has it (`StartForm`). */
  readonly value: string;
  /** With `room`. */
  readonly label: string;
  /** What it says of its limits, to go on with; empty where nothing is known. */
  readonly room: string;
}

const roomText = (limits: AccountLimits | undefined, now: number): string => {
  if (limits === undefined) return "";
  const [first = ""] = limitParts(limits, now);
  return isUsedUp(limits, now) ? `, ${first}` : `, ${percentText(usedMost(limits)?.used_percent ?? 0)} used`;
};

/** Agents that can be started, and each account of them that says how much of its limits is used. */
export const agentChoices = (
  agents: readonly StartableAgent[],
  limits: readonly AccountLimits[],
  now: number,
): AgentChoice[] => {
  const current = currentLimits(limits, now);
  return agents.flatMap(({ agent, agent_name: name, is_found: isFound }): AgentChoice[] => {
    const known = current.filter((one) => one.agent === agent);
    const room = roomText(
      known.find(({ account }) => account === null),
      now,
    );
    const absent = isFound === false ? " (not found)" : "";
    const accounts = known.flatMap((one): AgentChoice[] => {
      const own = roomText(one, now);
      return one.account === null
        ? []
        : [{ value: `${agent} ${one.account}`, label: `${accountText(one)}${own}`, room: own }];
    });
    return [{ value: agent, label: `${displayLine(name)}${absent}${room}`, room }, ...accounts];
  });
};

/**
 * To whom a session is handed over most likely. From an agent that stopped at a limit: to one whose own files say that there is room, be
 * it another account of the same agent; else to another kind of agent that is not known to be used up. Of those that are found.
 */
export const agentToHandTo = (
  agents: readonly StartableAgent[],
  from: PaneView,
  limits: readonly AccountLimits[],
  now: number,
): string => {
  const found = agents.filter(({ is_found: isFound }) => isFound !== false);
  if (isAtLimit(from)) {
    const free = currentLimits(limits, now).filter(
      (one) =>
        isFree(one, now) &&
        found.some(({ agent }) => agent === one.agent) &&
        (one.agent !== from.agent || (one.account !== null && one.account !== from.account)),
    );
    const [best] = free.toSorted(
      (one, other) => (usedMost(one)?.used_percent ?? 0) - (usedMost(other)?.used_percent ?? 0),
    );
    if (best !== undefined) return best.account === null ? best.agent : `${best.agent} ${best.account}`;
  }
  const usedUp = new Set(
    limits.filter((one) => one.account === null && isUsedUp(one, now)).map(({ agent }) => agent),
  );
  const others = found.filter(({ agent }) => agent !== from.agent);
  return (others.find(({ agent }) => !usedUp.has(agent)) ?? others[0] ?? found[0])?.agent ?? "";
};
