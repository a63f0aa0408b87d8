// Replaces the app on macOS by a newer release, after asking and only while nothing is being answered or typed. It is driven by what
// the daemon knows of releases: while the person has not switched that on (`releases.check`), no feed is asked. What the feed
// says and what comes from there is bounded and checked here; whether the same developer signed it, macOS itself checks
// (Squirrel.Mac) before anything is replaced.
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { AutoUpdater, Dialog } from "electron";
import * as z from "zod";
import { AgtmuxError } from "../core/model/errors.ts";
import type { Logger } from "../core/ports/logger.ts";
import {
  compareVersions,
  fetchBounded,
  isVersion,
  parseReleaseAddress,
  type ReleaseAddress,
} from "../features/releases/releaseFeed.ts";
import type { PrefsFile } from "./desktopService.ts";

const DAY_MS = 24 * 3_600_000;
const QUIET_POLL_MS = 250;
const MAX_FEED_BYTES = 64 * 1024;
const FEED_MS = 15_000;
/** The app is about 120 MB. */
const MAX_APP_BYTES = 500 * 1024 * 1024;
const FETCH_MS = 30 * 60_000;
const SQUIRREL_MS = 10 * 60_000;
const QUIT_MS = 60_000;
/** A feed that names another version with every question is not followed for ever. */
const MAX_QUESTIONS = 3;

// Where an update is possible.

const CASKS = ["/opt/homebrew/Caskroom/agtmux-app", "/usr/local/Caskroom/agtmux-app"];

/**
 * False where something else replaces the app: Homebrew, apt, a clone's own `git pull`; and for an AppImage, because nothing but
 * the address it came from would vouch for the next one.
 */
export const isReplaceable = (
  { platform, isPackaged }: { platform: NodeJS.Platform; isPackaged: boolean },
  exists: (path: string) => boolean = existsSync,
): boolean => platform === "darwin" && isPackaged && !CASKS.some(exists);

// What the feed says.

const prereleaseOf = (version: string): string | null => version.split("-", 2)[1] ?? null;

/** The file of the feed is named by the first word of a prerelease, as electron-builder writes it. */
const channelOf = (version: string): string => prereleaseOf(version)?.split(".")[0] ?? "latest";

const feedSchema = z.object({
  version: z.string().refine(isVersion),
  files: z
    .array(
      z.object({
        url: z.string().max(200),
        sha512: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
        size: z.number().int().min(1).max(MAX_APP_BYTES),
      }),
    )
    .min(1)
    .max(10),
  packages: z.undefined().optional(),
});
type Feed = z.infer<typeof feedSchema>;

const wrongFeed = (why: string, cause?: unknown): AgtmuxError =>
  new AgtmuxError("E_UNSUPPORTED", `what the address of releases says of the app ${why}`, { cause });

/** Only names that a release of ours has: no path, no other host, no other version. */
const checkFeed = (said: unknown): Feed => {
  const parsed = feedSchema.safeParse(said);
  if (!parsed.success) throw wrongFeed("is not what it should be", parsed.error);
  const { version, files } = parsed.data;
  const names = ["x64", "arm64"].flatMap((arch) =>
    ["zip", "dmg"].map((ext) => `agtmux-${version}-mac-${arch}.${ext}`),
  );
  if (!files.every(({ url }) => names.includes(url)))
    throw wrongFeed("names files that are none of a release");
  return parsed.data;
};

/** Fetches into `path`; what is there afterwards has this size and hash. */
const fetchApp = async (
  url: string,
  path: string,
  { size, sha512 }: Feed["files"][number],
  signal: AbortSignal,
): Promise<void> => {
  await using file = await open(path, "w", 0o600);
  const hash = createHash("sha512");
  let bytes = 0;
  await fetchBounded(url, { maxBytes: size, timeoutMs: FETCH_MS, signal }, async (piece) => {
    hash.update(piece);
    bytes += piece.length;
    await file.writeFile(piece);
  });
  if (bytes !== size || hash.digest("base64") !== sha512)
    throw wrongFeed("does not fit the file that comes from there");
};

// electron-updater, and Squirrel.Mac behind it.

interface Found {
  readonly version: string;
  /** Fetches it and lets macOS check its signature; then it is ready. @throws AgtmuxError, or the error of Squirrel.Mac. */
  prepare(): Promise<void>;
  /** Ends the app, which is replaced and starts again. */
  install(): void;
}

type Query = Readonly<Record<"protocol" | "hostname" | "port" | "path", string | undefined>>;

/**
 * Asks the feed of this channel, with electron-updater but through our own fetch: electron-updater bounds no answer, follows a
 * redirect to an address that isn't encrypted, and sends an id of this machine. @throws AgtmuxError.
 */
const find = async (
  native: AutoUpdater,
  { base }: ReleaseAddress,
  channel: string,
  signal: AbortSignal,
): Promise<Found | null> => {
  // Loaded once somebody said yes.
  const { MacUpdater } = await import("electron-updater");
  let feed: Feed | null = null;
  class BoundedUpdater extends MacUpdater {
    readonly httpExecutor = {
      request: async ({ protocol, hostname, port, path }: Query): Promise<string> => {
        // Without the query against caches, which no answer of a release needs.
        const url = `${protocol}//${hostname}${port === undefined ? "" : `:${port}`}${path?.split("?", 1)[0]}`;
        const pieces: Uint8Array[] = [];
        const limits = { maxBytes: MAX_FEED_BYTES, timeoutMs: FEED_MS, signal };
        await fetchBounded(url, limits, (piece) => void pieces.push(piece));
        return Buffer.concat(pieces).toString("utf8");
      },
      download: async (url: URL, path: string): Promise<string> => {
        const file = feed?.files.find((one) => `${base}/latest/download/${one.url}` === url.href);
        if (file === undefined) throw wrongFeed("names another place for the app");
        await fetchApp(url.href, path, file, signal);
        return path;
      },
    };
  }
  const updater = new BoundedUpdater();
  // It would quote the feed; what is to be known of a failure is in the error.
  updater.logger = null;
  updater.autoDownload = false;
  updater.autoInstallOnAppQuit = false;
  updater.disableDifferentialDownload = true;
  updater.allowDowngrade = false;
  updater.setFeedURL({ provider: "generic", url: `${base}/latest/download`, channel });
  const checked = await updater.checkForUpdates().catch((error: unknown) => {
    throw error instanceof AgtmuxError ? error : wrongFeed("cannot be read", error);
  });
  if (checked === null || !checked.isUpdateAvailable) return null;
  feed = checkFeed(checked.updateInfo);
  return {
    version: feed.version,
    prepare: async () => {
      const { promise: failed, reject } = Promise.withResolvers<never>();
      // It may come when nobody waits for it any more.
      failed.catch(() => {});
      native.once("error", reject);
      try {
        await Promise.race([updater.downloadUpdate(), failed]);
        const { promise: ready, resolve } = Promise.withResolvers<void>();
        native.once("update-downloaded", () => resolve());
        native.once("update-not-available", () => reject(new Error("Squirrel.Mac found no update")));
        const late = delay(SQUIRREL_MS, undefined, { signal, ref: false }).then(() => {
          throw new Error("Squirrel.Mac did not end");
        });
        native.checkForUpdates();
        await Promise.race([ready, failed, late]);
      } finally {
        native.off("error", reject);
      }
    },
    install: () => updater.quitAndInstall(),
  };
};

/** One plain sentence, without a full stop: why an update did not come about. */
const reasonOf = (error: unknown): string => {
  if (error instanceof AgtmuxError) return error.message;
  const text = error instanceof Error ? error.message : String(error);
  if (/code signature|code requirement|not signed/i.test(text))
    return "macOS takes it only if the developer who signed this app signed it, too";
  if (/read-only/i.test(text)) return "macOS cannot replace the app where it is now; move it to Applications";
  return "it could not be put in the place of this one";
};

// Asking, and waiting for the right moment.

const CHOICES = ["update", "later", "skip"] as const;
type Choice = (typeof CHOICES)[number];

const LATER = CHOICES.indexOf("later");

/** Asks the person; a dialog that is closed is "later". */
export const askAboutUpdate =
  (dialog: Pick<Dialog, "showMessageBox">, present: string) =>
  async (version: string): Promise<Choice> => {
    const { response } = await dialog.showMessageBox({
      type: "question",
      message: `agtmux ${version} is there`,
      detail: `This is ${present}. The update is fetched now. As soon as no answer and no text is under way, agtmux ends, is replaced and starts again. Agents go on working.`,
      buttons: ["Update", "Later", "Skip this version"],
      // Somebody who types into another window presses Return.
      defaultId: LATER,
      cancelId: LATER,
    });
    return CHOICES[response] ?? "later";
  };

export class AppUpdate {
  private readonly deps: ConstructorParameters<typeof AppUpdate>[0];
  private readonly closing = new AbortController();
  private newest: string | null = null;
  private running: Promise<void> | null = null;

  constructor(deps: {
    readonly version: string;
    /** Electron's own updater, which is Squirrel.Mac. */
    readonly native: AutoUpdater;
    readonly prefs: Pick<PrefsFile, "read" | "write">;
    /** Where releases are; null: nobody knows. */
    readonly address: () => Promise<string | null>;
    /** Whether no answer, text or other action is under way and nobody types into the popover. May fail: then it is not known. */
    readonly isQuiet: () => Promise<boolean>;
    readonly ask: (version: string) => Promise<Choice>;
    /** Tells the person one sentence. */
    readonly say: (sentence: string) => void;
    /** Epoch ms. */
    readonly now: () => number;
    readonly logger: Logger;
  }) {
    this.deps = deps;
  }

  /** Takes in what the daemon knows now; `newest` null: no release is newer, or nobody may ask. Cheap, for every change of the feed. */
  consider(newest: string | null): void {
    this.newest = newest;
    if (this.running !== null || newest === null || !this.isDue(newest)) return;
    this.running = this.run(newest)
      .catch((error: unknown) => this.fail(newest, error))
      .finally(() => {
        this.running = null;
      });
  }

  /** What is still running does nothing any more; a question that is open is not waited for. */
  close(): void {
    this.closing.abort();
  }

  /** A time that has not come yet was written under another clock. */
  private isDue(version: string): boolean {
    const { skippedVersion, updateAskedAt } = this.deps.prefs.read();
    const passedMs = this.deps.now() - updateAskedAt;
    return this.isWanted(version) && version !== skippedVersion && (passedMs < 0 || passedMs >= DAY_MS);
  }

  /** Newer, and a prerelease only for whoever has one. */
  private isWanted(version: string): boolean {
    const { version: present } = this.deps;
    return (
      isVersion(version) &&
      compareVersions(version, present) > 0 &&
      (prereleaseOf(version) === null || prereleaseOf(present) !== null)
    );
  }

  private async run(first: string): Promise<void> {
    const { signal } = this.closing;
    const { native, logger } = this.deps;
    let version = first;
    for (let questions = 0; questions < MAX_QUESTIONS; questions += 1) {
      await this.untilQuiet();
      // Meanwhile the person may have switched it off.
      if (this.newest === null || !(await this.isAgreed(version))) return;
      const address = await this.deps.address();
      if (address === null)
        throw new AgtmuxError("E_UNSUPPORTED", "this app does not know where its releases are");
      const found = await find(native, parseReleaseAddress(address), channelOf(version), signal);
      if (found === null || !this.isWanted(found.version))
        throw wrongFeed(`is not newer than this app, although ${version} was announced`);
      if (found.version === version) {
        logger.info({ version }, "an update of the app is fetched");
        await found.prepare();
        await this.untilQuiet();
        logger.info({ version }, "the app ends to be updated");
        found.install();
        // The end of the app ends this.
        await delay(QUIT_MS, undefined, { signal, ref: false });
        throw new Error("the app did not end");
      }
      version = found.version;
    }
    throw wrongFeed("changes all the time");
  }

  private async isAgreed(version: string): Promise<boolean> {
    const { prefs, now, ask } = this.deps;
    const choice = await ask(version);
    this.closing.signal.throwIfAborted();
    prefs.write({
      updateAskedAt: Math.floor(now()),
      ...(choice === "skip" ? { skippedVersion: version } : {}),
    });
    return choice === "update";
  }

  private async untilQuiet(): Promise<void> {
    const { signal } = this.closing;
    for (;;) {
      signal.throwIfAborted();
      // A daemon that is gone for a moment is asked again.
      if (await this.deps.isQuiet().catch(() => false)) return;
      await delay(QUIET_POLL_MS, undefined, { signal, ref: false });
    }
  }

  private fail(version: string, error: unknown): void {
    if (this.closing.signal.aborted) return;
    const { prefs, now, logger, say } = this.deps;
    // The next question comes tomorrow, also where this one was never put.
    prefs.write({ updateAskedAt: Math.floor(now()) });
    const reason = reasonOf(error);
    logger.warn({ version, reason, error }, "the app was not updated");
    say(`agtmux was not updated: ${reason}.`);
  }
}
