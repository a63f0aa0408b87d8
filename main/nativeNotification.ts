// A notification of the daemon in the form of the system's notifications. Pure. Buttons and replies are for systems that have
// them; elsewhere a click leads to the pane.
import type { AgentNotification, NotificationAction } from "../core/api/service.ts";

/** The part of Electron's NotificationConstructorOptions that is used here. */
export interface NativeOptions {
  id: string;
  title: string;
  body: string;
  silent: boolean;
  sound?: string;
  actions?: { type: "button"; text: string }[];
  hasReply?: boolean;
  replyPlaceholder?: string;
}

/** Linux desktops may read the body as markup, so a `<` that could begin a tag is separated from what follows. */
const withoutMarkup = (text: string): string => text.replaceAll(/<(?=[A-Za-z/!?])/g, "<\u200b");

/**
 * The button's text. macOS registers sets of buttons by these texts, so they are the same for every notification; the options'
 * own texts are in the body.
 */
const labelOf = (action: NotificationAction): string => {
  switch (action.kind) {
    case "approve":
      return "Approve";
    case "deny":
      return "Deny";
    case "attach":
      return "Open";
    case "option":
      return `Option ${action.number}`;
  }
};

/** The options come after the request and before the line that says where. */
const withOptions = ({ body, actions }: AgentNotification): string => {
  const options = actions.flatMap((action) =>
    action.kind === "option" ? [`${labelOf(action)}: ${action.label}`] : [],
  );
  const [asked = "", ...place] = body.split("\n");
  return [asked, ...options, ...place].join("\n");
};

export const toNativeOptions = (notice: AgentNotification, platform: NodeJS.Platform): NativeOptions => {
  const { id, title, body, sound } = notice;
  const silent = sound === "none";
  if (platform !== "darwin") return { id, title: withoutMarkup(title), body: withoutMarkup(body), silent };
  return {
    id,
    title,
    body: withOptions(notice),
    silent,
    ...(silent || sound === "default" ? {} : { sound }),
    ...(notice.actions.length === 0
      ? {}
      : { actions: notice.actions.map((action) => ({ type: "button", text: labelOf(action) })) }),
    ...(notice.reply === null
      ? {}
      : { hasReply: true, replyPlaceholder: notice.reply === "answer" ? "Answer" : "Tell the agent" }),
  };
};
