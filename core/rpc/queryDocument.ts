// One query, answered with the bytes of its document as the daemon wrote them: for a command that passes a document on
// without looking at it. It neither says hello nor parses, which is half of what such a command would cost.
import { request, type IncomingMessage } from "node:http";
import { PROTOCOL_VERSION } from "../api/service.ts";
import { checkHome, checkSocket, type RuntimePaths } from "./paths.ts";
import { PROTOCOL_HEADER } from "./protocolHeader.ts";

export interface DocumentQuery {
  readonly paths: RuntimePaths;
  /** The procedure, such as `panes`. */
  readonly path: string;
  readonly input: unknown;
  /** How long the answer may take, in milliseconds. */
  readonly timeoutMs: number;
}

/** What tRPC puts around a result. */
const BEFORE = Buffer.from('{"result":{"data":');
const AFTER = Buffer.from("}}");

/** An empty server name keeps node:http from asking whether the host is an IP address. */
const CONNECTION = { agent: false, servername: "" } as const;

const ask = ({ paths, path, input, timeoutMs }: DocumentQuery): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const outgoing = request({
      socketPath: paths.socket,
      path: `/${path}?input=${encodeURIComponent(JSON.stringify(input))}`,
      headers: { host: "agtmux" },
      signal: AbortSignal.timeout(timeoutMs),
      ...CONNECTION,
    });
    outgoing.once("response", resolve);
    outgoing.once("error", reject);
    outgoing.end();
  });

const readAll = async (response: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  response.on("data", (chunk: Buffer) => chunks.push(chunk));
  await new Promise<void>((resolve, reject) => {
    response.once("end", resolve);
    response.once("error", reject);
  });
  return Buffer.concat(chunks);
};

/**
 * The document's JSON, or null where the socket client has to be asked instead: no daemon, another protocol, an error. Fails
 * only with E_SOCKET_UNSAFE.
 */
export const queryDocument = async (query: DocumentQuery): Promise<Buffer | null> => {
  const { paths } = query;
  if (!checkHome(paths.home) || !checkSocket(paths.socket)) return null;
  try {
    const response = await ask(query);
    const isOurs =
      response.statusCode === 200 && response.headers[PROTOCOL_HEADER] === String(PROTOCOL_VERSION);
    const answer = await readAll(response);
    const end = answer.length - AFTER.length;
    if (!isOurs || !answer.subarray(0, BEFORE.length).equals(BEFORE) || !answer.subarray(end).equals(AFTER))
      return null;
    return answer.subarray(BEFORE.length, end);
  } catch {
    // The socket client meets the same failure, and can say what it is.
    return null;
  }
};
