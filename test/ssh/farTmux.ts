// The tmux of the far side: this machine's, unless `npm run test:tmux` gives it another version than that.
import { createPrivateTmux, type PrivateTmux } from "../harness/privateTmux.ts";

const program = process.env["AGTMUX_FAR_TMUX"];

export const createFarTmux = (): PrivateTmux => createPrivateTmux(program);
/** To be among the settings of the target. */
export const farTmuxSettings = program === undefined ? {} : { tmux_path: program };
