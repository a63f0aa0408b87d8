// An integration that is a file of our own in a folder where the agent looks for plugins: nothing of anybody else's is
// touched. The first line carries the hash of the rest, so that a file that somebody edited or put there is told from
// ours, also from that of another version of agtmux. Plans only.
import { createHash } from "node:crypto";
import { AgtmuxError } from "../../core/model/errors.ts";
import type { Integration, IntegrationRequest } from "../../core/ports/agentAdapter.ts";
import type { PersonStep } from "../../core/model/integrationView.ts";

const MAX_BYTES = 256 * 1024;
const MARK = /^\/\/ agtmux integration, written by agtmux; sha256 ([0-9a-f]{64})\n/;

export interface OwnFile {
  path: (homeDir: string) => string;
  /** The code behind the first line; the same for the same event script. */
  bodyOf: (eventScript: string) => string;
  /** What `inspect` calls the one entry. */
  entry: string;
  /** Fails with E_INTEGRATION_REFUSED where the file must not be installed. */
  mayInstall?: (request: IntegrationRequest) => Promise<void>;
  /** What keeps an installed file from working, as sentences for the person. */
  problemsOf?: (request: IntegrationRequest) => Promise<readonly string[]>;
  /** What the person has still to do before it runs. */
  stepsOf?: (request: IntegrationRequest) => Promise<readonly PersonStep[]>;
  testEvent: Integration["testEvent"];
}

const hashOf = (body: string): string => createHash("sha256").update(body).digest("hex");

/** The whole file: its mark and the body. */
export const markedFile = (body: string): string =>
  `// agtmux integration, written by agtmux; sha256 ${hashOf(body)}\n${body}`;

/** True for a file that some version of agtmux wrote and nobody has changed since. */
const isOurs = (text: string): boolean => {
  const mark = MARK.exec(text);
  return mark !== null && mark[1] === hashOf(text.slice(mark[0].length));
};

const refuseForeign = (path: string, text: string): void => {
  if (isOurs(text)) return;
  const what = MARK.test(text) ? "was edited after agtmux wrote it" : "was not written by agtmux";
  throw new AgtmuxError("E_INTEGRATION_REFUSED", `${path} ${what}.`, {
    remedy: "Move the file away and repeat; it was not changed.",
  });
};

/** Creates the integration. A file that is not exactly ours is neither replaced nor removed. */
export const createOwnFileIntegration = (file: OwnFile): Integration => ({
  async planInstall(request) {
    const path = file.path(request.homeDir);
    const before = await request.files.readText(path, MAX_BYTES);
    const after = markedFile(file.bodyOf(request.eventScript));
    if (before === after) return [];
    if (before !== null) refuseForeign(path, before);
    await file.mayInstall?.(request);
    return [{ path, before, after }];
  },

  async planUninstall(request) {
    const path = file.path(request.homeDir);
    const before = await request.files.readText(path, MAX_BYTES);
    if (before === null) return [];
    refuseForeign(path, before);
    return [{ path, before, after: null }];
  },

  async inspect(request) {
    const path = file.path(request.homeDir);
    const text = await request.files.readText(path, MAX_BYTES);
    if (text === null) return { installed: false, missing: [file.entry], problems: [] };
    const installed = text === markedFile(file.bodyOf(request.eventScript));
    const problems = [...((await file.problemsOf?.(request)) ?? [])];
    if (!isOurs(text)) problems.unshift(`${path} is not as agtmux wrote it`);
    else if (!installed) problems.unshift(`${path} is of another agtmux installation or version`);
    const steps = (await file.stepsOf?.(request)) ?? [];
    return { installed, missing: installed ? [] : [file.entry], problems, steps };
  },

  testEvent: file.testEvent,
});
