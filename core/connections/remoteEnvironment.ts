// Facts that only the remote shell knows, asked once for each connection.
import { AgtmuxError } from "../model/errors.ts";
import type { TargetExecutor } from "../ports/targetExecutor.ts";
import type { RemoteShell } from "../targets/remote/remoteShell.ts";
import { findTmux, type FoundTmux } from "../tmux/findTmux.ts";

const ASK_TIMEOUT_MS = 10_000;

export interface RemoteEnvironment {
  uid: number;
  path: string;
  tmuxTmpdir: string;
  hasProc: boolean;
}

/** @throws Error when the shell ends or does not answer. */
export const askEnvironment = async (shell: RemoteShell): Promise<RemoteEnvironment> => {
  const { stdout } = await shell.ask(
    'printf "%s\\0%s\\0%s\\0" "$(id -u)" "$PATH" "$TMUX_TMPDIR"; [ -r /proc/self/stat ] && printf proc',
    { timeoutMs: ASK_TIMEOUT_MS },
  );
  const [uid = "", path = "", tmuxTmpdir = "", proc = ""] = stdout.toString("utf8").split("\0");
  return { uid: Number(uid), path, tmuxTmpdir, hasProc: proc === "proc" };
};

/** @throws AgtmuxError E_TMUX_MISSING only when tmux is surely missing, not when the connection was lost meanwhile. */
export const findRemoteTmux = async (options: {
  shell: RemoteShell;
  reader: TargetExecutor;
  configuredPath: string | null;
  environment: RemoteEnvironment;
}): Promise<FoundTmux> => {
  const { shell, reader, configuredPath, environment } = options;
  try {
    return await findTmux({ executor: reader, configuredPath, pathVariable: environment.path });
  } catch (cause) {
    if (!shell.isClosed) throw cause;
    throw new AgtmuxError("E_TARGET_UNREACHABLE", "the connection was lost while tmux was looked for", {
      cause,
    });
  }
};
