// Reads Kilo's screen: opencode's reader, with the key that refuses at once, the page on which a refusal may be explained, and the
// session's name in the title. Source: frames recorded with 7.7.7.
import type { Reading, Screen } from "../../core/ports/agentAdapter.ts";
import { TOOL_APPROVAL } from "../common/events.ts";
import { asks, isBlank, ofWholeScreen, visibleLines } from "../common/screenText.ts";
import { lastBlock, withoutSideBar } from "../opencode/layout.ts";
import { permissionOptionsWith } from "../opencode/normalize.ts";
import { createOpencodeScreenReader, sessionTitleIn } from "../opencode/screen.ts";

/**
 * "Reject" and Escape open a page that asks what to do instead; this key refuses there and then. Tried with 7.7.7: one that comes late
 * does nothing to an empty box or a turn, and clears a draft.
 */
const DENY_KEY = "C-c";
export const KILO_PERMISSION_OPTIONS = permissionOptionsWith(DENY_KEY);

const readLikeOpencode = createOpencodeScreenReader(KILO_PERMISSION_OPTIONS);

const REJECT_TITLE = /^\s{1,3}△ Reject permission\s*$/;
const REJECT_HINT = /^\s{1,4}Tell Kilo what to do differently\s*$/;
const REJECT_FOOTER = /\benter confirm\s+esc cancel\s*$/;
const isRejectFooter = (rows: readonly string[]): boolean => REJECT_FOOTER.test(rows.at(-1) ?? "");

/** The page behind "Reject": the permission is still open. What it is about stands above it, where nothing binds it. */
const readRejection = (screen: Screen): Reading | null => {
  const { lines } = withoutSideBar(visibleLines(screen), screen.width);
  const block = lastBlock(lines) ?? [];
  const rows = block.filter((line) => !isBlank(line));
  const [title = "", hint = ""] = rows;
  if (!REJECT_TITLE.test(title) || !REJECT_HINT.test(hint) || !isRejectFooter(rows)) return null;
  return asks(TOOL_APPROVAL, "high", title.trim(), {
    top: lines.length - block.length,
    kind: "tool",
    title: "Reject permission",
    body: hint.trim(),
    toolName: null,
    options: [
      { label: "Reject", keys: [DENY_KEY], role: "deny" },
      { label: "Back to the request", keys: ["Escape"] },
    ],
  });
};

/** State and request that the bottom of the screen positively shows, or null. */
export const readKiloScreen = (screen: Screen): Reading | null =>
  readLikeOpencode(screen) ?? ofWholeScreen(screen, readRejection(screen));

/**
 * Its own name for the session in the pane's title, behind a sign of the state where the person's settings want one; null while it
 * has none. The program cuts a long one.
 */
export const titleOfKiloSession = (title: string): string | null =>
  sessionTitleIn(/^(?:\S{1,2} )?Kilo CLI \| (\S.*)$/u.exec(title.trim())?.[1]);
