// The words of a notice and what can be done from it. Pure. What agents wrote is hostile: one line of it, without controls,
// and bounded; surfaces still escape it as theirs need.
import { NOTICE_KINDS, type NoticeKind } from "../../model/noticePolicy.ts";
import type { PaneView } from "../../model/view.ts";
import type { Notice, NoticeAction, NoticeReply } from "../service.ts";

const MAX_LINE = 160;
const MAX_LABEL = 40;
/** More options than this are for the popover or the pane. */
const MAX_OPTIONS = 4;
/** Panes that a grouped notice names. */
const NAMED = 3;

const plain = (text: string, limit: number): string => {
  const clean = text
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .replaceAll(/\s+/gu, " ")
    .trim();
  return clean.length <= limit ? clean : `${clean.slice(0, limit - 1).trimEnd()}…`;
};

const VERB: Record<NoticeKind, string> = {
  waiting_approval: "needs a permission",
  waiting_input: "has a question",
  error: "stopped with an error",
  completed: "is done",
};
const VERB_OF_MANY: Record<NoticeKind, string> = {
  waiting_approval: "need a permission",
  waiting_input: "have a question",
  error: "stopped with an error",
  completed: "are done",
};

const nameOf = (pane: PaneView): string => plain(pane.agent_name ?? "Agent", MAX_LABEL);

const placeOf = ({ identity, window_name }: PaneView): string =>
  plain(
    [identity.target === "host" ? "" : identity.target, identity.session_name, window_name]
      .filter(Boolean)
      .join(" · "),
    MAX_LINE,
  );

/** What is asked as one line, and whether that is all of it. */
const askedOf = ({ request }: PaneView): { line: string; isWhole: boolean } => {
  const [first = "", ...more] = (request?.body ?? request?.title ?? "").trim().split("\n");
  const line = plain(more.length === 0 ? first : `${first} …`, MAX_LINE);
  return { line, isWhole: more.length === 0 && line === plain(first, Infinity) };
};

/**
 * An action whose keys are not known is left out: it would only be refused. So is a yes to something of which the notice
 * shows a part: what follows may be the dangerous half.
 */
const actionsOf = (pane: PaneView, kind: NoticeKind): NoticeAction[] => {
  const { request, prompt_fingerprint } = pane;
  const attach: NoticeAction = { kind: "attach", label: "Open" };
  if (request === null || prompt_fingerprint === null) return [attach];
  const known = request.options.filter(({ keys }) => keys !== null && keys.length > 0);
  const { isWhole } = askedOf(pane);
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
    known.every(({ label }) => plain(label, Infinity).length <= MAX_LABEL);
  if (kind === "waiting_input" && isChosenHere)
    return [
      ...request.options.map(({ label }, index): NoticeAction => ({
        kind: "option",
        number: index + 1,
        label: plain(label, MAX_LABEL),
      })),
      attach,
    ];
  return [attach];
};

const replyOf = ({ request, prompt_fingerprint }: PaneView, kind: NoticeKind): NoticeReply | null => {
  switch (kind) {
    case "waiting_approval":
      return null;
    case "waiting_input":
      return (request?.text_entry ?? null) === null || prompt_fingerprint === null ? null : "answer";
    case "error":
    case "completed":
      return "send";
  }
};

/** The notice of one pane. `sound`: as in the policy. */
export const toNotice = (id: string, pane: PaneView, told: { kind: NoticeKind; sound: string }): Notice => ({
  id,
  kind: told.kind,
  title: `${nameOf(pane)} ${VERB[told.kind]}`,
  body: [askedOf(pane).line, placeOf(pane)].filter(Boolean).join("\n"),
  pane,
  count: 1,
  sound: told.sound,
  actions: actionsOf(pane, told.kind),
  reply: replyOf(pane, told.kind),
});

/** One notice for many panes, the most urgent first; it leads to the list. */
export const toGroupNotice = (
  id: string,
  told: readonly [{ pane: PaneView; kind: NoticeKind }, ...{ pane: PaneView; kind: NoticeKind }[]],
  sound: string,
): Notice => {
  const counts = NOTICE_KINDS.flatMap((kind) => {
    const count = told.filter((one) => one.kind === kind).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? VERB[kind] : VERB_OF_MANY[kind]}`];
  });
  const names = told.slice(0, NAMED).map(({ pane }) => `${nameOf(pane)}: ${placeOf(pane)}`);
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
