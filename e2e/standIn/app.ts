// Stands in for Electron's `app`: readiness, the single-instance lock (a file in the data folder), quitting.
import { EventEmitter } from "node:events";
import { mkdirSync, readFileSync, rmSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTest, tellTest } from "./channel.ts";

/** An event whose default the listener may prevent, as Electron's. */
export class StandInEvent {
  defaultPrevented = false;
  preventDefault(): void {
    this.defaultPrevented = true;
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

export class App extends EventEmitter {
  readonly isPackaged = process.env["AGTMUX_STAND_IN_PACKAGED"] === "1";
  readonly dock = undefined;
  private ready = false;
  private readonly dataDir: string;

  constructor(dataDir: string) {
    super();
    this.dataDir = dataDir;
    mkdirSync(dataDir, { recursive: true });
    // After the entry's own module was evaluated, as in Electron.
    setImmediate(() => {
      this.ready = true;
      this.emit("ready");
    });
    onTest("quit", () => this.quit());
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => this.quit());
  }

  isReady(): boolean {
    return this.ready;
  }

  whenReady(): Promise<void> {
    return this.ready ? Promise.resolve() : new Promise((resolve) => void this.once("ready", resolve));
  }

  getAppPath(): string {
    return join(import.meta.dirname, "..", "..");
  }

  getPath(): string {
    return this.dataDir;
  }

  getName(): string {
    return "agtmux";
  }

  getVersion(): string {
    const manifest: unknown = JSON.parse(readFileSync(join(this.getAppPath(), "package.json"), "utf8"));
    return String(Reflect.get(Object(manifest), "version"));
  }

  /** The stand-in has no dock or launcher that could show a badge. */
  setBadgeCount(): boolean {
    return false;
  }

  enableSandbox(): void {
    if (this.ready) throw new Error("app.enableSandbox() must be called before the app is ready");
  }

  requestSingleInstanceLock(): boolean {
    const lock = join(this.dataDir, "SingletonLock");
    try {
      writeFileSync(lock, String(process.pid), { flag: "wx" });
    } catch {
      if (isAlive(Number(readFileSync(lock, "utf8")))) {
        writeFileSync(join(this.dataDir, `second-${process.pid}`), "");
        return false;
      }
      writeFileSync(lock, String(process.pid));
    }
    process.once("exit", () => rmSync(lock, { force: true }));
    watch(this.dataDir, { persistent: false }, (_event, name) => {
      if (name?.startsWith("second-") === true) this.emit("second-instance", new StandInEvent(), [], "");
    });
    return true;
  }

  /** Gives the focus back to the program that had it. */
  hide(): void {
    tellTest({ kind: "app_hide" });
  }

  quit(): void {
    const event = new StandInEvent();
    this.emit("before-quit", event);
    if (!event.defaultPrevented) this.exit(0);
  }

  exit(code = 0): void {
    process.exit(code);
  }
}

const dataDir = process.env["AGTMUX_STAND_IN_DATA"];
if (dataDir === undefined) throw new Error("AGTMUX_STAND_IN_DATA names no folder");
export const app = new App(dataDir);
