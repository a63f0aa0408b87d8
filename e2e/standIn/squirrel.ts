// Stands in for Electron's `autoUpdater` on macOS, which is Squirrel.Mac: it fetches what it is told to, takes only an app that is
// signed as the running one is, and replaces the running one when that ends: then the file `installed` of Electron's data has it. A
// file whose first line is `signed by <who>` stands for an app; who signed the running one is in the environment.
import { EventEmitter } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { app } from "./app.ts";
import { BrowserWindow } from "./windows.ts";

export class Squirrel extends EventEmitter {
  private feed: { url: string; headers?: Record<string, string> } | null = null;
  private taken: string | null = null;

  setFeedURL(feed: { url: string; headers?: Record<string, string> }): void {
    if (process.env["AGTMUX_STAND_IN_SIGNER"] === undefined)
      this.emit("error", new Error("Could not get code signature for running application"));
    else this.feed = feed;
  }

  /** As Electron's, it says nothing more where the feed was refused. */
  checkForUpdates(): void {
    this.emit("checking-for-update");
    if (this.feed !== null)
      this.take(this.feed.url, this.feed.headers ?? {}).catch((error: unknown) => this.emit("error", error));
  }

  /** Closes the windows, and goes on only once all of them are closed. */
  quitAndInstall(): void {
    this.emit("before-quit-for-update");
    for (const window of BrowserWindow.getAllWindows()) window.close();
    if (BrowserWindow.getAllWindows().length > 0 || this.taken === null) return;
    const { taken } = this;
    process.once("exit", () => writeFileSync(join(app.getPath(), "installed"), taken));
    app.quit();
  }

  private async take(url: string, headers: Record<string, string>): Promise<void> {
    const said: unknown = await (await fetch(url, { headers })).json();
    const text = await (await fetch(String(Reflect.get(Object(said), "url")))).text();
    if (text.split("\n", 1)[0] !== `signed by ${process.env["AGTMUX_STAND_IN_SIGNER"]}`)
      throw new Error(
        "Code signature at URL file:///agtmux.app/ did not pass validation: code failed to satisfy specified code requirement(s)",
      );
    this.taken = text;
    this.emit("update-downloaded");
  }
}

export const autoUpdater = new Squirrel();
