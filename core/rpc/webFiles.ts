// The files that the browser bridge may serve: listed once at start, so that a request can only ever name one of them.
// A path that is not in the list does not exist, whatever it is encoded as.
import { readdirSync, readFileSync } from "node:fs";
import { extname, join, relative, sep } from "node:path";

export interface WebFile {
  contentType: string;
  body: Buffer;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".woff2": "font/woff2",
};

/**
 * Reads the built renderer. Keys are URL paths with a leading slash; `/` is `index.html`. Files of unknown kinds and links
 * are left out. Throws when the folder or its index is missing.
 */
export const readWebFiles = (folder: string): ReadonlyMap<string, WebFile> => {
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const contentType = CONTENT_TYPES[extname(entry.name)];
    if (!entry.isFile() || contentType === undefined) continue;
    const path = join(entry.parentPath, entry.name);
    const url = `/${relative(folder, path).split(sep).join("/")}`;
    files.set(url, { contentType, body: readFileSync(path) });
  }
  const index = files.get("/index.html");
  if (index === undefined) throw new Error(`the built popover is missing in ${folder}`);
  files.set("/", index);
  return files;
};
