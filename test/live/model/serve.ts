// The scripted model as a process: `serve.ts PORT LOG`. Prints one line when it listens; ends by SIGTERM.
import { appendTo } from "./modelLog.ts";
import { startModelServer } from "./modelServer.ts";

const THINK_MS = 400;
const [port = "8787", log = ""] = process.argv.slice(2);
await startModelServer({ port: Number(port), log: appendTo(log), thinkMs: THINK_MS });
console.log("listening");
