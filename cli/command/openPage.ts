// Opens the page of a pull request in the person's own browser, by the program that the system has for that. Which addresses may be
// opened is decided in `core/model/requestPage.ts`, and once more here.
import { spawn } from "node:child_process";
import { isRequestPage } from "../../core/model/requestPage.ts";
import type { CliContext } from "./context.ts";

/** A program that goes on for longer has opened something. */
const LIMIT_MS = 3_000;

const openerOf = (env: CliContext["env"]): string | null => {
  if (process.platform === "darwin") return "open";
  // Without a desktop, `xdg-open` would look for a browser that draws in this terminal.
  const hasDesktop = [env["DISPLAY"], env["WAYLAND_DISPLAY"]].some(
    (value) => value !== undefined && value !== "",
  );
  return hasDesktop ? "xdg-open" : null;
};

/** False where nothing could be opened, so that the address has to be shown. Never rejects. */
export const openPage = async (page: string, env: CliContext["env"]): Promise<boolean> => {
  const opener = openerOf(env);
  if (opener === null || !isRequestPage(page, null)) return false;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  // The browser outlives this process, and may say on its streams what it wants.
  const child = spawn(opener, [page], { env, stdio: "ignore", detached: true, cwd: "/" });
  child.once("error", () => resolve(false));
  child.once("exit", (code) => resolve(code === 0));
  const timer = setTimeout(() => resolve(true), LIMIT_MS);
  const isOpened = await promise;
  clearTimeout(timer);
  child.unref();
  return isOpened;
};
