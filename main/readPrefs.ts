// Reads the window's own settings. A single value that is not as expected counts as not set, so that the values that both
// versions understand survive an upgrade or downgrade. Pure.
import * as z from "zod";
import { acceleratorSchema, terminalChoiceSchema } from "../core/model/desktop.ts";

export const MIN_POPOVER_HEIGHT = 320;
export const MAX_POPOVER_HEIGHT = 1_600;

const defaultsOf = (platform: NodeJS.Platform) =>
  ({
    popoverHeight: 600,
    terminal: { kind: "auto" },
    // On a Mac, Control with Option are the keys of VoiceOver.
    shortcut: platform === "darwin" ? "Control+Shift+A" : "Control+Alt+A",
    areNoticesExplained: false,
    skippedVersion: null,
    updateAskedAt: 0,
  }) as const;

export const prefsSchema = z.object({
  /** Points. */
  popoverHeight: z.number().int().min(MIN_POPOVER_HEIGHT).max(MAX_POPOVER_HEIGHT),
  terminal: terminalChoiceSchema,
  /** Opens and closes the popover from anywhere; null: none. */
  shortcut: acceleratorSchema.nullable(),
  /** True when agtmux explained why macOS will ask for permission, before it asked. */
  areNoticesExplained: z.boolean(),
  /** The release that the person does not want; null: none. */
  skippedVersion: z.string().max(50).nullable(),
  /** Epoch ms: when the person was last asked about an update; 0: never. */
  updateAskedAt: z.number().int().min(0),
});
export type Prefs = z.infer<typeof prefsSchema>;

const { popoverHeight, terminal, shortcut, areNoticesExplained, skippedVersion, updateAskedAt } =
  prefsSchema.shape;

/** Reads the file of any version. */
export const readPrefs = (stored: unknown, platform: NodeJS.Platform): Prefs => {
  const defaults = defaultsOf(platform);
  return z
    .object({
      popoverHeight: popoverHeight.catch(defaults.popoverHeight),
      terminal: terminal.catch(defaults.terminal),
      shortcut: shortcut.catch(defaults.shortcut),
      areNoticesExplained: areNoticesExplained.catch(defaults.areNoticesExplained),
      skippedVersion: skippedVersion.catch(defaults.skippedVersion),
      updateAskedAt: updateAskedAt.catch(defaults.updateAskedAt),
    })
    .catch(defaults)
    .parse(stored);
};
