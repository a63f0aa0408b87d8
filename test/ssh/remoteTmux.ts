// The tmux of the remote side: this machine's, unless `npm run test:tmux` gives it another version than that.
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const program = process.env["AGTMUX_REMOTE_TMUX"];

export const createRemoteTmux = (): PrivateTmux => createPrivateTmux(program);
/** To be among the settings of the target. */
export const remoteTmuxSettings = program === undefined ? {} : { tmux_path: program };
