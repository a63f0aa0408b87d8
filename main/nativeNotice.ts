// A notice in the form of the system's notifications. Pure. Buttons and replies are for systems that have them; elsewhere a
// click leads to the pane.
import type { Notice } from "../core/api/service.ts";

/** Electron's NotificationConstructorOptions, as far as they are used here. */
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

/** Desktops of Linux may read the body as markup: a `<` that could begin a tag is cut off from what follows. */
const withoutMarkup = (text: string): string => text.replaceAll(/<(?=[A-Za-z/!?])/g, "<\u200b");

export const toNativeOptions = (notice: Notice, platform: NodeJS.Platform): NativeOptions => {
  const { id, title, body, sound } = notice;
  const silent = sound === "none";
  if (platform !== "darwin") return { id, title: withoutMarkup(title), body: withoutMarkup(body), silent };
  return {
    id,
    title,
    body,
    silent,
    ...(silent || sound === "default" ? {} : { sound }),
    ...(notice.actions.length === 0
      ? {}
      : { actions: notice.actions.map(({ label }) => ({ type: "button", text: label })) }),
    ...(notice.reply === null
      ? {}
      : { hasReply: true, replyPlaceholder: notice.reply === "answer" ? "Answer" : "Tell the agent" }),
  };
};
