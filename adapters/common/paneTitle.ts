// What the titles of agents' panes have in common: a sign of the state before the words, and the folder's name in their place.

/** A frame of the spinners that agents draw with braille dots. */
export const SPINNER = String.raw`[\u2800-\u28ff]`;

/** The last part of a folder's path; empty where the folder is not known. */
export const folderName = (folder: string | null): string =>
  folder?.replace(/\/+$/, "").split("/").at(-1) ?? "";
