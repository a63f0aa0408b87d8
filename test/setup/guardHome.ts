// Every test lives in temporary homes. A test that reaches for the real one fails here instead of touching it.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const home = mkdtempSync(join(tmpdir(), "agtmux-test-home-"));
process.env["HOME"] = home;
process.env["AGTMUX_HOME"] = join(home, ".agtmux");
process.env["TMUX_TMPDIR"] = home;
delete process.env["TMUX"];
delete process.env["TMUX_PANE"];
