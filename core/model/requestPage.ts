// Which addresses of pull requests may be opened in a browser. They come from a host by way of a program, so that each surface asks
// here before it opens one; without schemas, because surfaces load it. Pure.
import type { PaneView } from "./view.ts";
import type { PullRequest } from "./workspace.ts";

/** The whole address: no login, port, query or fragment, no letters that need escaping, and nothing that leads upwards. */
const PAGE =
  /^https:\/\/([a-z0-9.-]{1,253})\/(?:(?!\.{1,2}\/)[\w.-]+\/){2,20}(?:pull|-\/merge_requests)\/\d{1,12}$/;

/** True for the page of a pull request on this host, where one is given. */
export const isRequestPage = (address: string, host: string | null): boolean => {
  const named = address.length > 1_000 ? undefined : PAGE.exec(address)?.[1];
  return named !== undefined && (host === null || named === host);
};

/** That of the branch of a row's agent. */
export const pageOfPane = ({ workspace }: Pick<PaneView, "workspace">): string | null => {
  const request = workspace?.pull_request ?? null;
  return request === null ? null : pageOfRequest(request);
};

/** The page of a pull request that a browser may open; null: none is known. */
export const pageOfRequest = ({ url, host }: PullRequest): string | null =>
  url !== null && isRequestPage(url, host) ? url : null;
