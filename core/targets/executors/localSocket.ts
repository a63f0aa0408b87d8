// Unix sockets of this machine: whose they are, and connections to them.
import { stat } from "node:fs/promises";
import { createConnection } from "node:net";
import type { SocketConnection } from "../../ports/targetExecutor.ts";
import { isMissing } from "../../model/systemError.ts";

/** See TargetSockets. A socket keeps its time of change whoever connects; its inode alone may be used again. */
export const identifyLocalSocket = async (path: string): Promise<string | null> => {
  const found = await stat(path, { bigint: true }).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
  if (found === null || !found.isSocket() || found.uid !== BigInt(process.geteuid?.() ?? -1)) return null;
  return `${found.dev} ${found.ino} ${found.mtimeNs}`;
};

/** `onGone` is called once, however it ends. */
export const connectLocalSocket = (path: string, onGone: () => void): SocketConnection => {
  const socket = createConnection(path);
  let reason = "closed by the other side";
  let closeListener: ((reason: string) => void) | null = null;
  socket.on("error", (error: NodeJS.ErrnoException) => {
    reason = error.code ?? error.message;
  });
  socket.on("close", () => {
    onGone();
    closeListener?.(reason);
  });
  return {
    write: (bytes) => void socket.write(bytes),
    onData: (listener) => void socket.on("data", listener),
    onClose: (listener) => {
      closeListener = listener;
    },
    close: () => void socket.destroy(),
  };
};
