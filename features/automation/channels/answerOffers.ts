// What a message may be answered with, and its text (`offersOf`). Pure. A person who reads it on a phone approves nothing but what
// stands there: a request is offered to be approved only where all of it is one short line that neither redaction nor cleaning
// changed. Everything else is refused from there, or answered at the desk.
import type { AnswerChoice } from "../../../core/model/action.ts";
import type { AgentNotification } from "../../../core/model/notifications.ts";
import type { RequestView } from "../../../core/model/request.ts";
import { remarkText, requestHeading, visibleLine } from "../../../core/model/words.ts";
import { oneLine, stateText, type MessageContext } from "./channelMessage.ts";

/** In characters, each of whatever a person has to read to know what is asked. */
const MAX_SHOWN = 200;
/** Phones cut what a button says; what was cut may be the part that matters. */
const MAX_LABEL = 40;
/** ntfy takes three buttons. */
const MAX_BUTTONS = 3;

interface Offer {
  readonly choice: AnswerChoice;
  readonly label: string;
}

interface Offers {
  /** Of the message. `text`: lines. */
  readonly title: string;
  readonly text: string;
  readonly offers: readonly Offer[];
}

/** What the line says before the text of an agent; the other kinds have more than a line, such as the content of an edit. */
const LINE_WORDS: Partial<Record<RequestView["kind"], string>> = {
  command: "Command: ",
  question: "Question: ",
  other: "Asks: ",
};

/** Letters that are written from right to left move what stands around them: the line would read in another order. */
const MOVES_OTHERS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]|[\u{10800}-\u{10fff}]|[\u{1e800}-\u{1efff}]/u;

/** Whether a person reads just this text when it is sent. */
const isSentAsIs = (text: string, redact: (text: string) => string): boolean =>
  text.length <= MAX_SHOWN &&
  !MOVES_OTHERS.test(text) &&
  visibleLine(text) === text &&
  oneLine(redact)(text) === text;

/** All that is asked, in lines of their own; null: it does not fit, or is not the whole request. */
const wholeText = (request: RequestView, redact: (text: string) => string): string[] | null => {
  const asked = request.body ?? request.title;
  const words = LINE_WORDS[request.kind];
  if (words === undefined || !request.is_whole || asked === "" || (request.content ?? "") !== "") return null;
  const [heading, remark] = [requestHeading(request), remarkText(request)];
  const more = [heading === asked ? "" : heading, remark].filter(Boolean);
  if (heading !== "" && heading !== request.title) return null;
  if (![asked, ...more].every((text) => isSentAsIs(text, redact))) return null;
  const lines = [`${words}${asked}`, ...more];
  // A secret may begin on one line and end on another.
  return redact(lines.join("\n")) === lines.join("\n") ? lines : null;
};

const isKnown = ({ keys }: RequestView["options"][number]): boolean => keys !== null && keys.length > 0;

/** One key chooses it and nothing else, and its label says all of it. */
const isSimple = (option: RequestView["options"][number], redact: (text: string) => string): boolean =>
  isKnown(option) &&
  option.label !== "" &&
  option.label.length <= MAX_LABEL &&
  isSentAsIs(option.label, redact) &&
  (option.description ?? "") === "" &&
  option.ticked === undefined &&
  option.toggle === undefined;

const numbered = (request: RequestView) =>
  request.options.map((option, index) => ({ option, number: index + 1 }));

const permissionOffers = (
  request: RequestView,
  isWhole: boolean,
  redact: (text: string) => string,
): Offer[] => {
  const has = (role: "approve" | "deny"): boolean =>
    request.options.some((option) => option.role === role && isKnown(option));
  const others = numbered(request).filter(({ option: { role } }) => role !== "approve" && role !== "deny");
  const [other] = others;
  const isOffered =
    isWhole &&
    others.length === 1 &&
    other?.option.role === "approve_always" &&
    isSimple(other.option, redact);
  return [
    ...(isWhole && has("approve") ? [{ choice: { kind: "approve" }, label: "Approve" } as const] : []),
    ...(has("deny") ? [{ choice: { kind: "deny" }, label: "Deny" } as const] : []),
    ...(isOffered
      ? [{ choice: { kind: "option", number: other.number }, label: other.option.label } as const]
      : []),
  ];
};

const questionOffers = (request: RequestView, redact: (text: string) => string): Offer[] => {
  const { options, submit, pages } = request;
  const fits =
    options.length > 0 &&
    options.length <= MAX_BUTTONS &&
    submit === undefined &&
    pages === undefined &&
    options.every((option) => isSimple(option, redact));
  return fits
    ? numbered(request).map(({ option: { label }, number }) => ({
        choice: { kind: "option", number },
        label,
      }))
    : [];
};

/** What the buttons say stands in the text too, where a phone does not cut it. */
const optionLines = (offers: readonly Offer[]): string[] =>
  offers.flatMap(({ choice, label }) => (choice.kind === "option" ? [`${choice.number}: ${label}`] : []));

const AT_DESK = "Open it at your desk.";

/**
 * Null for what asks nothing, and for a message about several agents. With `"include": "state"` nothing of the request is sent, so
 * nothing of it can be approved.
 */
export const offersOf = (
  notification: AgentNotification,
  { channel, redact }: MessageContext,
): Offers | null => {
  const { kind, pane, count, body, title: about } = notification;
  if (count !== 1 || (kind !== "waiting_approval" && kind !== "waiting_input")) return null;
  const line = oneLine(redact);
  const state = stateText(notification, line);
  const { request } = pane;
  const isOpen =
    request !== null &&
    pane.prompt_fingerprint !== null &&
    pane.identity.runtime_id !== null &&
    pane.background?.is_answered_elsewhere !== true;
  const whole = isOpen && channel.include === "request" ? wholeText(request, redact) : null;
  const offers = !isOpen
    ? []
    : kind === "waiting_approval"
      ? permissionOffers(request, whole !== null, redact)
      : whole === null
        ? []
        : questionOffers(request, redact);
  const canAllow = offers.some(({ choice }) => choice.kind !== "deny");
  if (channel.include === "state")
    return { title: state.title, text: [state.text, AT_DESK].filter(Boolean).join("\n"), offers };
  const [asked = "", ...more] = body.split("\n").map(line).filter(Boolean);
  const place = more.at(-1) ?? "";
  const lines =
    whole !== null && canAllow
      ? [...whole, ...optionLines(offers), place, line(about)]
      : [asked, ...more, line(about), AT_DESK];
  return { title: state.title, text: lines.filter(Boolean).join("\n"), offers };
};
