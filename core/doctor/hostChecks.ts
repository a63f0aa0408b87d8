// Checks of the daemon itself: the person's adapter files, notifications, terminal windows, and storage.
import { stat } from "node:fs/promises";
import type { Config } from "../model/config.ts";
import type { Check, Diagnosis } from "../model/doctor.ts";
import { AgtmuxError } from "../model/errors.ts";
import { NOTIFICATION_KINDS } from "../model/notifications.ts";
import type { AdapterProblem, AdapterSource } from "../ports/agentAdapter.ts";
import type { DurableStore } from "../store/durableStore.ts";
import { checksAt } from "./doctorTarget.ts";

/** The database that was last set aside, and whether its file is still there. Null: there is none. */
export const findLostHistory = async (store: DurableStore): ReturnType<HostFacts["loss"]> => {
  const loss = store.loss();
  if (loss === null) return null;
  const isKept = await stat(loss.keptPath).then(
    () => true,
    () => false,
  );
  return { ...loss, isKept };
};

const LIMIT_MS = 3_000;

export interface HostFacts {
  host: "app" | "headless" | "test";
  platform: NodeJS.Platform;
  /** Environment of the daemon. */
  env: Readonly<Record<string, string | undefined>>;
  notifications: Config["notifications"];
  keepAwake: Config["keep_awake"];
  /** Surfaces that now listen for notifications. */
  notificationListeners: number;
  /** Names the program that opens terminal windows; fails with E_UNSUPPORTED where there is none. Null: this host opens none. */
  findTerminal: (() => string) | null;
  /** The database that was set aside last; `isKept`: its file is still there. Null: none was. */
  loss: () => Promise<(NonNullable<ReturnType<DurableStore["loss"]>> & { isKept: boolean }) | null>;
  /** Why nothing can be stored now; null: it can. */
  outage: string | null;
}

/** With its place, for a person. */
export const describeProblem = ({ file, line, path, message }: AdapterProblem): string =>
  `${file}:${line}: ${path === "" ? "" : `${path}: `}${message}`;

const checkAdapterFiles = (adapters: AdapterSource): Diagnosis[] => {
  const byFile = Map.groupBy(adapters.files?.problems() ?? [], ({ file }) => file);
  const bad = [...byFile].map(([file, problems]): Diagnosis => ({
    status: "problem",
    summary: `The adapter file ${file} is not in force.`,
    evidence: problems.map(describeProblem).join("; "),
    remedy: "Correct those lines; 'agtmux adapters check' checks all files.",
  }));
  const inForce = new Set(
    adapters.list().flatMap(({ agentType }) => adapters.files?.originOf(agentType).files ?? []),
  );
  if (inForce.size > 0)
    bad.push({
      status: "ok",
      summary: `${inForce.size} adapter file${inForce.size === 1 ? " is" : "s are"} in force.`,
      evidence: [...inForce].join(", "),
    });
  return bad;
};

const checkNotifications = (facts: HostFacts): Diagnosis => {
  const wanted = NOTIFICATION_KINDS.filter((kind) => facts.notifications[kind]);
  const evidence = `wanted for ${wanted.join(", ")}`;
  if (wanted.length === 0)
    return { status: "skipped", summary: "Notifications are switched off in config.json." };
  if (facts.host !== "app")
    return facts.notificationListeners > 0
      ? { status: "ok", summary: "A connected app or popover shows notifications.", evidence }
      : {
          status: "skipped",
          summary: "This daemon has no desktop: the app or an open popover shows notifications.",
          evidence,
          remedy: "Start the app, or open the popover with 'agtmux ui'.",
        };
  if (facts.platform === "linux" && (facts.env["DBUS_SESSION_BUS_ADDRESS"] ?? "") === "")
    return {
      status: "warning",
      summary: "The app has no session bus, so the desktop cannot show its notifications.",
      evidence: "DBUS_SESSION_BUS_ADDRESS is not set",
      remedy: "Start the app from the desktop session, or with 'dbus-run-session'.",
    };
  return {
    status: "ok",
    summary:
      facts.platform === "darwin"
        ? "The app shows notifications where the system's settings allow it."
        : "The app shows notifications.",
    evidence,
  };
};

const checkTerminal = ({ findTerminal }: HostFacts): Diagnosis => {
  if (findTerminal === null)
    return {
      status: "skipped",
      summary: "This daemon opens no terminal windows: 'agtmux attach' uses the terminal it is called in.",
    };
  try {
    return { status: "ok", summary: "A pane can be opened in a terminal window.", evidence: findTerminal() };
  } catch (error) {
    if (!(error instanceof AgtmuxError)) throw error;
    return {
      status: "warning",
      summary: "No terminal program was found, so a click cannot open a pane.",
      evidence: error.message,
      remedy: error.remedy,
    };
  }
};

const checkHistory = async ({ loss, outage }: HostFacts): Promise<Diagnosis> => {
  if (outage !== null)
    return {
      status: "problem",
      summary: "The database cannot be written: agents show as unknown, and events wait in the spool.",
      evidence: outage,
      remedy: "Free some disk space, or make the home writable; the daemon then recovers by itself.",
    };
  const lost = await loss();
  if (lost === null || !lost.isKept) return { status: "ok", summary: "The history is stored." };
  const at = new Date(lost.at).toISOString();
  return {
    status: "warning",
    summary: `The database was damaged: what was stored before ${at} is lost.`,
    evidence: `the damaged file is kept as ${lost.keptPath}`,
    remedy:
      "The states that you see were found again. Check the disk, and delete that file when you no longer need it.",
  };
};

/** The checks that concern no target. */
export const hostChecks = (adapters: AdapterSource, facts: HostFacts): Check[] => {
  const check = checksAt("daemon", { group: "daemon" }, LIMIT_MS);
  return [
    check("adapters", () => checkAdapterFiles(adapters)),
    check("notifications", () => checkNotifications(facts)),
    check("history", () => checkHistory(facts)),
    check("terminal", () => checkTerminal(facts)),
  ];
};
