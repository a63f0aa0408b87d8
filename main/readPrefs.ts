// What the window's own choices mean: a value that does not read as expected counts as not set, alone, so that an older or
// newer version's file keeps what both understand. Pure.
import { z } from "zod";
import { acceleratorSchema, terminalChoiceSchema } from "../core/model/desktop.ts";

export const MIN_POPOVER_HEIGHT = 320;
export const MAX_POPOVER_HEIGHT = 1_600;

const DEFAULTS = {
  popoverHeight: 600,
  terminal: { kind: "auto" },
  shortcut: "Control+Alt+A",
} as const;

export const prefsSchema = z.object({
  /** Points. */
  popoverHeight: z.number().int().min(MIN_POPOVER_HEIGHT).max(MAX_POPOVER_HEIGHT),
  terminal: terminalChoiceSchema,
  /** Opens and closes the popover from anywhere; null: none. */
  shortcut: acceleratorSchema.nullable(),
});
export type Prefs = z.infer<typeof prefsSchema>;

const { popoverHeight, terminal, shortcut } = prefsSchema.shape;
const lenientSchema = z.object({
  popoverHeight: popoverHeight.catch(DEFAULTS.popoverHeight),
  terminal: terminal.catch(DEFAULTS.terminal),
  shortcut: shortcut.catch(DEFAULTS.shortcut),
});

/** What a file of any version means. */
export const readPrefs = (stored: unknown): Prefs => lenientSchema.catch(DEFAULTS).parse(stored);
