// Who may talk to the browser bridge: decides on the headers alone, so that every refusal can be tested without a socket. It
// stops DNS rebinding (host), foreign pages (origin, fetch metadata) and other local users (cookie).
import { timingSafeEqual } from "node:crypto";

export interface RequestFacts {
  method: string;
  /** Path and query, as they were sent. */
  url: string;
  host: string | undefined;
  origin: string | undefined;
  fetchSite: string | undefined;
  cookie: string | undefined;
  contentType: string | undefined;
}

export type Refusal = "wrong_host" | "foreign_origin" | "no_session";

/** Names by which a browser on this machine (or behind `ssh -L`, on any port) reaches the loopback interface. */
const LOOPBACK_HOST = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/;

/** True when two secrets are equal; takes the same time whatever differs. */
export const isSameSecret = (given: string, expected: string): boolean => {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
};

const cookieValue = (header: string | undefined, name: string): string | null => {
  for (const part of (header ?? "").split(";")) {
    const [key, value] = part.trim().split("=", 2);
    if (key === name && value !== undefined) return value;
  }
  return null;
};

/** True when a cookie of that name has that value. */
export const cookieIs = (header: string | undefined, name: string, value: string): boolean => {
  const given = cookieValue(header, name);
  return given !== null && isSameSecret(given, value);
};

/** A request whose host is not loopback comes from a name that somebody pointed at us. */
export const refuseHost = (facts: RequestFacts): Refusal | null =>
  facts.host !== undefined && LOOPBACK_HOST.test(facts.host) ? null : "wrong_host";

/** Null when the request may be served. `session` is the cookie for which the token was exchanged, with its path. */
export const refuseRequest = (
  facts: RequestFacts,
  session: { name: string; value: string; folder: string },
): Refusal | null => {
  const refusedHost = refuseHost(facts);
  if (refusedHost !== null) return refusedHost;
  const isForeign =
    facts.origin !== undefined ? facts.origin !== `http://${facts.host}` : facts.method !== "GET";
  // Browsers send the origin with every write; a write without one is not from our page.
  if (isForeign) return "foreign_origin";
  // Without asking first, a foreign form can send only text/plain or a form's encoding.
  if (facts.method === "POST" && facts.contentType?.toLowerCase().split(";", 1)[0] !== "application/json")
    return "foreign_origin";
  if (facts.fetchSite !== undefined && facts.fetchSite !== "same-origin" && facts.fetchSite !== "none")
    return "foreign_origin";
  const isInFolder = isSameSecret(facts.url.slice(0, session.folder.length), session.folder);
  return isInFolder && cookieIs(facts.cookie, session.name, session.value) ? null : "no_session";
};
