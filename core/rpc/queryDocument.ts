// One query, answered with the bytes of its document as the daemon wrote them: for a command that passes a document on without
// looking at it. It neither says hello nor parses, and it speaks HTTP/1.0 over a plain socket, because to load node:http would
// make up a tenth of such a command's time. `npm run bench:cli` times it beside the typed client.
import { connect } from "node:net";
import { PROTOCOL_VERSION } from "../api/protocol.ts";
import { PROTOCOL_HEADER, VERSION_HEADER } from "./wire.ts";
import { checkHome, checkSocket, type RuntimePaths } from "./paths.ts";

interface DocumentQuery {
  readonly paths: RuntimePaths;
  /** The procedure, such as `panes`. */
  readonly path: string;
  readonly input: unknown;
  /**
   * Accepts an answer only from a daemon of this version: another may be outdated, which hello decides. Null: any version.
   */
  readonly version: string | null;
  /** How long the daemon may be silent, in milliseconds. */
  readonly timeoutMs: number;
}

const END_OF_HEAD = Buffer.from("\r\n\r\n");
/** The text that tRPC puts around a result. */
const BEFORE = Buffer.from('{"result":{"data":');
const AFTER = Buffer.from("}}");

/** All bytes of the answer: to an HTTP/1.0 client a server sends no chunks and closes the connection after its answer. */
const ask = ({ paths, path, input, timeoutMs }: DocumentQuery): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(paths.socket);
    const query = input === undefined ? "" : `?input=${encodeURIComponent(JSON.stringify(input))}`;
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("the daemon is silent")));
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.once("end", () => resolve(Buffer.concat(chunks)));
    socket.once("error", reject);
    // The write side stays open: node:http would take its end for a client that is gone.
    socket.write(`GET /${path}${query} HTTP/1.0\r\nhost: agtmux\r\n\r\n`);
  });

/** Null unless the answer is a complete result from a daemon with our protocol and the wanted version. */
const documentIn = (answer: Buffer, version: string | null): Buffer | null => {
  const end = answer.indexOf(END_OF_HEAD);
  const [status = "", ...headers] = answer.subarray(0, Math.max(end, 0)).toString("latin1").split("\r\n");
  const says = (name: string, value: string): boolean =>
    headers.some((header) => header.toLowerCase() === `${name}: ${value}`);
  const isOurs =
    /^HTTP\/1\.[01] 200 /.test(status) &&
    says(PROTOCOL_HEADER, String(PROTOCOL_VERSION)) &&
    (version === null || says(VERSION_HEADER, version.toLowerCase()));
  const body = answer.subarray(end + END_OF_HEAD.length);
  const rest = body.length - AFTER.length;
  const isWhole = body.subarray(0, BEFORE.length).equals(BEFORE) && body.subarray(rest).equals(AFTER);
  return isOurs && isWhole ? body.subarray(BEFORE.length, rest) : null;
};

/**
 * The document's JSON, or null where the socket client has to ask instead: no daemon, another protocol or version, an error.
 * Fails only with E_SOCKET_UNSAFE.
 */
export const queryDocument = async (query: DocumentQuery): Promise<Buffer | null> => {
  const { paths } = query;
  if (!checkHome(paths.home) || !checkSocket(paths.socket)) return null;
  try {
    return documentIn(await ask(query), query.version);
  } catch {
    // The socket client meets the same failure and can explain it.
    return null;
  }
};
