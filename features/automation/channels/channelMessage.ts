// What leaves the machine, to the letter. Pure. Names, titles and requests come from agents, repositories and tmux: each text is
// one bounded line without control characters and without known secrets, and what is asked goes along only where the person
// said so.
import type { Channel, AgentNotification, NotificationEvent } from "../../../core/model/notifications.ts";
import type { PaneView } from "../../../core/model/view.ts";
import { SCHEMA_VERSION } from "../../../core/model/schemaVersion.ts";

/** The document that a command reads and a webhook receives. Its keys are documented in docs/automation.md. */
export interface ChannelMessage {
  readonly schema_version: typeof SCHEMA_VERSION;
  readonly event: "show" | "withdraw" | "test";
  /** The same for a notification and its withdrawal. */
  readonly id: string;
  readonly at: string;
  readonly channel: string;
  /** Null in a withdrawal and in a test. */
  readonly kind: string | null;
  readonly title: string;
  /** Up to a few lines; empty in a withdrawal. */
  readonly text: string;
  /** How many agents it is about; the rest names the most urgent one. */
  readonly count: number;
  readonly agent: string | null;
  readonly target: string | null;
  readonly session: string | null;
  readonly ref: string | null;
  /** Messages before this one that were dropped, because too many waited. */
  readonly missed: number;
  /** Only over a channel that takes answers, and never in a document. */
  readonly buttons?: readonly ReplyButton[];
}

/** A button of a message. */
export interface ReplyButton {
  readonly label: string;
  readonly url: string;
  /** What it publishes there; null: it opens the address. */
  readonly body: string | null;
}

const MAX_LINE = 200;
const MAX_REF = 1_000;
const MAX_LINES = 6;
/** What stands before a line of an agent. */
const MAX_LABEL = 20;

/** The words for a state, of our own: those of the app's notifications name the work, which a person may not want to send out. */
const VERB: Record<AgentNotification["kind"], string> = {
  waiting_approval: "needs a permission",
  waiting_input: "has a question",
  error: "stopped with an error",
  completed: "is done",
  watch: "has news",
};

export interface MessageContext {
  readonly channel: Channel;
  /** Epoch ms. */
  readonly at: number;
  /** As redactSent makes it. */
  readonly redact: (text: string) => string;
}

/** What nobody sees may stand in the middle of a secret, which is then no longer known as one: it is taken out before. */
export const redactSent =
  (redact: (text: string) => string) =>
  (text: string): string =>
    redact(text.replaceAll(/(?![\n\r\t ])[\p{Cf}\p{Cc}]/gu, ""));

/** One bounded line. */
const clean = (text: string, limit: number, redact: (text: string) => string): string => {
  const line = redact(text)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, " ")
    .replaceAll(/\p{Cs}/gu, "\ufffd")
    .trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).replace(/\p{Cs}$/u, "")}…`;
};

/** A text as it may stand in a notification. */
export const oneLine =
  (redact: (text: string) => string) =>
  (text: string): string =>
    clean(text, MAX_LINE, redactSent(redact));

const blank = ({ channel, at }: MessageContext): Omit<ChannelMessage, "event" | "id" | "title"> => ({
  schema_version: SCHEMA_VERSION,
  at: new Date(at).toISOString(),
  channel: channel.name,
  kind: null,
  text: "",
  count: 0,
  agent: null,
  target: null,
  session: null,
  ref: null,
  missed: 0,
});

/** State and place alone: nothing that an agent or a repository wrote. */
export const stateText = (
  { kind, count, pane }: AgentNotification,
  line: (text: string) => string,
): { title: string; text: string } => {
  const { target, session_name } = pane.identity;
  const name = line(pane.agent_name ?? "") || "An agent";
  const place = line([target === "host" ? "" : target, session_name].filter(Boolean).join(" · "));
  if (count > 1)
    return { title: `${count} agents: one ${VERB[kind]}`, text: `${name} · ${place} and ${count - 1} more` };
  return { title: `${name} ${VERB[kind]}`, text: place };
};

export const messageOf = (event: NotificationEvent, context: MessageContext): ChannelMessage => {
  if (event.kind === "withdraw")
    return { ...blank(context), event: "withdraw", id: event.id, title: "No longer needed" };
  const { notice } = event;
  const { id, kind, title, body, count, pane } = notice;
  const { target, session_name, pane_ref } = pane.identity;
  const line = (text: string, limit = MAX_LINE): string => clean(text, limit, context.redact);
  const words =
    context.channel.include === "state"
      ? stateText(notice, line)
      : {
          title: line(title),
          text: body
            .split("\n")
            .slice(0, MAX_LINES)
            .map((one) => line(one))
            .filter(Boolean)
            .join("\n"),
        };
  return {
    ...blank(context),
    event: "show",
    id,
    kind,
    ...words,
    count,
    agent: pane.agent_name === null ? null : line(pane.agent_name),
    target: line(target),
    session: line(session_name),
    ref: line(pane_ref, MAX_REF),
  };
};

/** Of a watch: `line` is the agent's, and goes along only where the person said so. */
export const watchMessage = (
  { id, title, line, row }: { id: string; title: string; line: string | null; row: PaneView },
  context: MessageContext,
): ChannelMessage => {
  const { target, session_name, pane_ref } = row.identity;
  const cleaned = (text: string, limit = MAX_LINE): string => clean(text, limit, context.redact);
  const place = cleaned([target === "host" ? "" : target, session_name].filter(Boolean).join(" · "));
  const asked = context.channel.include === "request" && line !== null ? [cleaned(line)] : [];
  return {
    ...blank(context),
    event: "show",
    id,
    kind: "watch",
    title: cleaned(title),
    text: [...asked, place].filter(Boolean).join("\n"),
    count: 1,
    agent: row.agent_name === null ? null : cleaned(row.agent_name),
    target: cleaned(target),
    session: cleaned(session_name),
    ref: cleaned(pane_ref, MAX_REF),
  };
};

/** Words of our own in place of an earlier message with this id, or about the channel itself. */
export const plainMessage = (
  { id, title, text }: { id: string; title: string; text: string },
  context: MessageContext,
): ChannelMessage => ({
  ...blank(context),
  event: "show",
  id,
  title: clean(title, MAX_LINE, context.redact),
  text: text
    .split("\n")
    .slice(0, MAX_LINES)
    .map((one) => clean(one, MAX_LINE + MAX_LABEL, context.redact))
    .filter(Boolean)
    .join("\n"),
});

export const testMessage = (id: string, context: MessageContext): ChannelMessage => ({
  ...blank(context),
  event: "test",
  id,
  title: "agtmux test",
  text: "This channel works.",
});
