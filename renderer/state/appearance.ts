// The person's choices of how this window looks, and how they are applied to the document.
import * as z from "zod";

export const THEMES = ["system", "light", "dark"] as const;
/** Per cent of the size that the browser gives. */
export const TEXT_SIZES = [85, 100, 115, 130, 150, 200] as const;

export const appearanceSchema = z.object({
  theme: z.enum(THEMES),
  textSize: z.literal([...TEXT_SIZES]),
});
export type Appearance = z.infer<typeof appearanceSchema>;
export const DEFAULT_APPEARANCE: Appearance = { theme: "system", textSize: 100 };

/** Theme.css follows `data-theme`; everything is measured in rem. */
export const applyAppearance = (root: HTMLElement, { theme, textSize }: Appearance): void => {
  if (theme === "system") delete root.dataset["theme"];
  else root.dataset["theme"] = theme;
  root.style.fontSize = textSize === 100 ? "" : `${textSize}%`;
};
