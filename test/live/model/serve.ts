// The scripted model as a process: `serve.ts PORT LOG FOLDER`. Prints one line when it listens; ends by SIGTERM. Its standard input is
// held open by the driver: when that ends first, however it ends, what runs in the folder is ended and the folder removed.
import { closeRunRoot } from "../../setup/runRoot.ts";
import { appendTo } from "./modelLog.ts";
import { startModelServer } from "./modelServer.ts";

const THINK_MS = 400;
const [port = "8787", log = "", folder = ""] = process.argv.slice(2);
await startModelServer({ port: Number(port), log: appendTo(log), thinkMs: THINK_MS });
process.stdin.resume().once("end", () => {
  if (folder !== "") closeRunRoot(folder);
  process.exit(0);
});
console.log("listening");
