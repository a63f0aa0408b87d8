// The tabs beside the list, and the dialogs over it, each once.
import { openOnce } from "./looks/openedOnce.ts";

openOnce(["sessions", "windows", "targets", "keys", "kill", "attach-command"]);
