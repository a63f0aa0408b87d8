// A transport that is chosen anew for each connection.
import type { AgtmuxError } from "../../model/errors.ts";
import type { SshTransport } from "./sshTransport.ts";

/** @param choose gives a fresh transport; what it throws, `connect` throws. */
export const createSwitchingTransport = (choose: () => Promise<SshTransport>): SshTransport => {
  let current: SshTransport | null = null;
  let connecting: SshTransport | null = null;
  let downListener: (error: AgtmuxError) => void = () => {};
  return {
    get name() {
      return current?.name ?? "openssh";
    },
    connect: async (timeoutMs) => {
      const chosen = await choose();
      chosen.onDown((error) => downListener(error));
      connecting = chosen;
      await chosen.connect(timeoutMs);
      current = chosen;
    },
    open: (command) =>
      current === null ? Promise.reject(new Error("there is no connection")) : current.open(command),
    onDown: (listener) => {
      downListener = listener;
    },
    disconnect: async () => {
      await (current ?? connecting)?.disconnect();
      current = null;
      connecting = null;
    },
  };
};
