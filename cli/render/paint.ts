// Colours, or none: NO_COLOR, FORCE_COLOR, dumb terminals and pipes are respected in one place.

const CODES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;
export type Colour = keyof typeof CODES;
export type Paint = (colour: Colour, text: string) => string;

/** https://no-color.org: any non-empty NO_COLOR wins; FORCE_COLOR other than "0" colours pipes too. */
export const hasColour = (env: Readonly<Record<string, string | undefined>>, isTty: boolean): boolean => {
  if ((env["NO_COLOR"] ?? "") !== "") return false;
  const forced = env["FORCE_COLOR"];
  if (forced !== undefined && forced !== "") return forced !== "0";
  return isTty && env["TERM"] !== "dumb";
};

export const createPaint = (isEnabled: boolean): Paint =>
  isEnabled
    ? (colour, text) => {
        const [on, off] = CODES[colour];
        return `\u001B[${on}m${text}\u001B[${off}m`;
      }
    : (_colour, text) => text;
