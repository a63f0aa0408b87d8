// Carries an attach plan out: brings the terminal that shows the pane already to the front, or opens a window for it; where there
// is no desktop, the terminal that was used last comes to show it.
import type { AttachCaller } from "./attachBuilder.ts";
import { AgtmuxError } from "../model/errors.ts";
import type { AttachPlan, ExistingClient } from "../model/snapshot.ts";

export interface DesktopActions {
  /** Runs a short command; resolves with its exit status, null when it was ended. */
  run(argv: readonly string[]): Promise<number | null>;
  /** Null where there is no desktop. */
  openTerminal: ((argv: readonly string[]) => Promise<void>) | null;
  /** Brings the terminal window or tab with this tty to the front; false when it was not found. Null where that is not known. */
  focusTerminal: FocusTerminal | null;
}
export type FocusTerminal = (client: ExistingClient) => Promise<boolean>;

/**
 * `planFor` makes a plan; it is asked again, without focusing, when the terminal that shows the pane could not be brought to
 * the front. Even then no window is opened beside a terminal that shows the pane natively.
 * @throws AgtmuxError E_STALE_SNAPSHOT when the pane went meanwhile, E_UNSUPPORTED where there is no desktop and no terminal
 *   on the pane's tmux server.
 */
export const showPlan = async (
  desktop: DesktopActions,
  planFor: (may: Pick<AttachCaller, "mayFocus" | "maySwitch">) => Promise<AttachPlan>,
): Promise<AttachPlan> => {
  const maySwitch = desktop.openTerminal === null;
  let plan = await planFor({ mayFocus: desktop.focusTerminal !== null, maySwitch });
  if (plan.mode !== "attach" && plan.existingClient !== null) {
    if ((await desktop.run(plan.argv)) !== 0)
      throw new AgtmuxError("E_STALE_SNAPSHOT", `${plan.paneRef} is no longer there`);
    const isInFront = (await desktop.focusTerminal?.(plan.existingClient)) ?? false;
    if (isInFront || plan.existingClient.isNative || plan.mode === "switch_client") return plan;
    plan = await planFor({ mayFocus: false, maySwitch });
  }
  if (desktop.openTerminal === null)
    throw new AgtmuxError("E_UNSUPPORTED", "this host opens no terminal windows", {
      remedy: `Run 'agtmux attach ${plan.paneRef}' in a terminal.`,
    });
  await desktop.openTerminal(plan.argv);
  return plan;
};
