// The words of a notification and the actions that it offers. Pure. Text of agents is hostile, so it is cut to one bounded line
// without control characters; surfaces still escape it as they need.
import { NOTIFICATION_KINDS, type NotificationKind } from "../../model/notificationPolicy.ts";
import type { RequestView } from "../../model/request.ts";
import { askedLine, remarkText } from "../../model/requestWords.ts";
import { folderOf, rowTitle } from "../../model/rowTitle.ts";
import type { PaneView } from "../../model/view.ts";
import { isWaiting } from "../../model/needs.ts";
import { REASON_WORDS, STATE_WORDS, stateCount } from "../../model/words.ts";
import type { AgentNotification, NotificationAction, NotificationReply } from "../service.ts";

const MAX_LINE = 160;
const MAX_TITLE = 80;
const MAX_LABEL = 40;
/** The longest request, in characters, that may be answered from its notification. */
const MAX_ANSWERED = 100;
/** A question with more options is answered in the popover or the pane. */
const MAX_OPTIONS = 4;
/** How many panes a grouped notification names. */
const NAMED = 3;

/** Kinds whose request can fit on one line; the others also have the content of an edit or the name of a tool. */
const NEEDS_NO_MORE: ReadonlySet<RequestView["kind"]> = new Set(["command", "question", "other"]);

type Redact = (text: string) => string;

const plain = (text: string, limit: number): string => {
  const clean = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).trimEnd()}…`;
};

/** A label that is shown unchanged. */
const isPlain = (label: string): boolean => plain(label, MAX_LABEL) === label;

/** What a notification begins with: the state, as rows say it. */
const stateWords = (kind: NotificationKind): string => {
  const [first = "", ...rest] = STATE_WORDS[kind];
  return `${first.toUpperCase()}${rest.join("")}`;
};

const nameOf = (pane: PaneView): string => plain(pane.agent_name ?? "Agent", MAX_LABEL);

/** Agent, machine, repository and branch, as in the second line of a row; without a repository the folder or the session. */
const placeOf = (pane: PaneView): string => {
  const { identity, activity } = pane;
  const parts = [
    nameOf(pane),
    identity.target === "host" ? "" : identity.target,
    (activity?.repository ?? "") || folderOf(pane) || identity.session_name,
    activity?.branch ?? "",
  ];
  return plain(parts.filter((part) => part !== "").join(" · "), MAX_LINE);
};

/** The row's title: the work, where anybody told it. */
const titleOf = (pane: PaneView, redact: Redact): string => plain(redact(rowTitle(pane).text), MAX_TITLE);

const isReason = (code: string): code is keyof typeof REASON_WORDS => Object.hasOwn(REASON_WORDS, code);

interface Asked {
  /** What is asked, on one line and without secrets. */
  line: string;
  /** True when `line` is the complete request, to the letter. */
  isWhole: boolean;
  /** What the agent says of it, where all of that fits too; else a request with such words is not whole here. */
  remark: string;
}

/**
 * A notification is read at a glance and stays where others may see it. So its line counts as the complete request only if it
 * is short and neither redaction nor cleaning changed it.
 */
const askedOf = ({ request }: PaneView, redact: Redact): Asked => {
  const text = request?.body ?? request?.title ?? "";
  if (request?.kind === "edit")
    return { line: plain(redact(askedLine(request)), MAX_LINE), isWhole: false, remark: "" };
  const [first = "", ...more] = redact(text).trim().split("\n");
  const line = plain(more.length === 0 ? first : `${first} …`, MAX_LINE);
  const said = request === null ? "" : remarkText(request);
  const isSaid = plain(redact(said), MAX_LINE) === said;
  const isAll = line === text && text.length <= MAX_ANSWERED && isSaid;
  const isWhole = request?.is_whole === true && isAll && NEEDS_NO_MORE.has(request.kind);
  return { line, isWhole, remark: isWhole ? said : "" };
};

/** What is asked; else what went wrong, or what was said last. */
const lineOf = (pane: PaneView, kind: NotificationKind, asked: Asked, redact: Redact): string => {
  const { activity, progress, reason_code: reason } = pane;
  switch (kind) {
    case "waiting_approval":
    case "waiting_input":
      return asked.line;
    case "error": {
      const known = reason !== null && isReason(reason) ? REASON_WORDS[reason] : "";
      const parts = [known, progress ?? ""].filter((part) => part !== "");
      return plain(redact(parts.join(" · ")), MAX_LINE);
    }
    case "completed":
      return plain(redact(activity?.said ?? ""), MAX_LINE);
  }
};

/**
 * An action whose keys are not known is left out, because it would be refused. So is a yes to a request that is shown only in
 * part: the hidden part may be the dangerous one.
 */
const actionsOf = (pane: PaneView, kind: NotificationKind, { isWhole }: Asked): NotificationAction[] => {
  const { request, prompt_fingerprint } = pane;
  const attach: NotificationAction = { kind: "attach", label: "Open" };
  if (request === null || prompt_fingerprint === null) return [attach];
  const known = request.options.filter(({ keys }) => keys !== null && keys.length > 0);
  const has = (role: "approve" | "deny"): boolean => known.some((option) => option.role === role);
  if (kind === "waiting_approval")
    return [
      ...(isWhole && has("approve") ? [{ kind: "approve", label: "Approve" } as const] : []),
      ...(has("deny") ? [{ kind: "deny", label: "Deny" } as const] : []),
      attach,
    ];
  const isChosenHere =
    isWhole &&
    known.length === request.options.length &&
    known.length <= MAX_OPTIONS &&
    known.every(({ label, description }) => isPlain(label) && (description ?? "") === "");

  if (kind === "waiting_input" && isChosenHere)
    return [
      ...request.options.map(({ label }, index): NotificationAction => ({
        kind: "option",
        number: index + 1,
        label: plain(label, MAX_LABEL),
      })),
      attach,
    ];
  return [attach];
};

const replyOf = (
  { request, prompt_fingerprint }: PaneView,
  kind: NotificationKind,
  { isWhole }: Asked,
): NotificationReply | null => {
  switch (kind) {
    case "waiting_approval":
      return null;
    case "waiting_input":
      return isWhole && (request?.text_entry ?? null) !== null && prompt_fingerprint !== null
        ? "answer"
        : null;
    case "error":
    case "completed":
      return "send";
  }
};

/** The notification of one pane. `sound`: as in the policy. */
export const toNotification = (
  id: string,
  pane: PaneView,
  { kind, sound, redact }: { kind: NotificationKind; sound: string; redact: Redact },
): AgentNotification => {
  const asked = askedOf(pane, redact);
  return {
    id,
    kind,
    title: `${stateWords(kind)}: ${titleOf(pane, redact)}`,
    body: [lineOf(pane, kind, asked, redact), isWaiting(kind) ? asked.remark : "", placeOf(pane)]
      .filter(Boolean)
      .join("\n"),
    pane,
    count: 1,
    sound,
    actions: actionsOf(pane, kind, asked),
    reply: replyOf(pane, kind, asked),
  };
};

/** One notification for many panes, the most urgent first; it leads to the list. */
export const toGroupNotification = (
  id: string,
  told: readonly [
    { pane: PaneView; kind: NotificationKind },
    ...{ pane: PaneView; kind: NotificationKind }[],
  ],
  { sound, redact }: { sound: string; redact: Redact },
): AgentNotification => {
  const counts = NOTIFICATION_KINDS.flatMap((kind) => {
    const count = told.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [stateCount(kind, count)];
  });
  const names = told.slice(0, NAMED).map(({ pane }) => `${titleOf(pane, redact)} · ${nameOf(pane)}`);
  const more = told.length - names.length;
  return {
    id,
    kind: told[0].kind,
    title: `${told.length} agents: ${counts.join(", ")}`,
    body: [...names, ...(more > 0 ? [`and ${more} more`] : [])].join("\n"),
    pane: told[0].pane,
    count: told.length,
    sound,
    actions: [],
    reply: null,
  };
};
