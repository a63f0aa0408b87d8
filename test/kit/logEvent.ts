// What an agent's hooks run while it is recorded: appends the payload on standard input, or the last argument, to a log, a line each.
// `logEvent.ts LOG TAG [PAYLOAD]`. It prints nothing, because agents read what their hooks print.
import { appendFileSync, readFileSync } from "node:fs";

const at = Date.now();
const [log = "", tag = "", argument] = process.argv.slice(2);
const text = argument ?? readFileSync(0, "utf8");
let payload: unknown = null;
try {
  payload = JSON.parse(text);
} catch {
  // A hook without a payload tells its name alone.
}
const event = {
  t: at,
  tag,
  pane: process.env["TMUX_PANE"] ?? null,
  ppid: process.ppid,
  payload: payload ?? {},
};
appendFileSync(log, `${JSON.stringify(event)}\n`);
