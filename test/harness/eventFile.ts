// An event file as the hook `agtmux-event` writes it, and its way into a spool.
import { renameSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface EventFile {
  event: string;
  sessionId: string;
  /** TMUX and TMUX_PANE of the agent; empty where it runs outside of tmux. */
  tmux?: string;
  pane?: string;
  ppid?: number;
  payload?: object;
}

/** An event of Claude Code. */
export const eventText = (file: EventFile): string => {
  const { event, sessionId, tmux = "", pane = "", ppid = 1, payload } = file;
  const header = `agtmux-event 1\nagent=claude\nevent=${event}\ntmux=${tmux}\npane=${pane}\nppid=${ppid}\n\n`;
  return header + JSON.stringify({ session_id: sessionId, hook_event_name: event, ...payload });
};

/**
 * Written aside and renamed, so that it appears complete or not at all. `at`: its time, in epoch ms. Gives the moment just before,
 * by performance.now.
 */
export const dropEvent = (spool: string, name: string, text: string, at: number | null = null): number => {
  const temporary = join(spool, "tmp", name);
  writeFileSync(temporary, text, { mode: 0o600 });
  if (at !== null) utimesSync(temporary, at / 1_000, at / 1_000);
  const from = performance.now();
  renameSync(temporary, join(spool, "new", name));
  return from;
};
