// Every procedure with any input, over the Unix socket. The daemon is a real one in a temporary home without a tmux server;
// what would start programs or wait for other machines is answered by a fake.
import * as fc from "fast-check";
import { createDesktopRouter, type DesktopService, createRouter } from "../../../core/api/router.ts";
import { ERROR_CODES } from "../../../core/model/errors.ts";
import { createRouterCaller } from "../../../core/rpc/messageBridge.ts";
import { FakeDaemon } from "../../fakes/fakeDaemon.ts";
import { hold } from "../expectations.ts";
import { doorTargets } from "./doorTargets.ts";
import { ask, createSharedDaemon, MAX_ANSWER, type Answer, type SharedDaemon } from "../openDaemon.ts";
import { defineTarget, type FuzzTarget } from "../fuzzTarget.ts";
import { mutatedJson, mutatedValue } from "../mutateJson.ts";
import { hostileText, mutatedText } from "../mutateText.ts";

const REF = "pane:host/work/@1/%1";
const ACTION = { ref: REF, guards: { ifRuntime: "rt1", ifUpdatedWithinMs: 500 }, surface: "cli" };
const FILTERS = { target: "host", state: ["idle", "error"], agent: ["claude"], needsAction: true, all: true };
/** A valid input of each procedure; undefined where it takes none. A new procedure has to be added here. */
const INPUTS: Readonly<Record<string, unknown>> = {
  hello: undefined,
  shutdown: undefined,
  panes: FILTERS,
  windows: FILTERS,
  sessions: { ...FILTERS, groupBy: "session-name" },
  targets: undefined,
  targetAdd: { name: "box", sshTarget: "dev@box", transport: "auto", tmuxPath: "/usr/bin/tmux" },
  sshAliases: undefined,
  targetChange: { name: "box", enabled: false, transport: "ssh2", tmuxPath: null },
  targetConnect: { name: "box" },
  targetRemove: { name: "box", isConfirmed: true },
  feed: { since: 1, sinceTime: null, all: true },
  notices: undefined,
  lookNow: undefined,
  resolve: { ref: "work:1.0", insideTmux: "/tmp/tmux-1000/default,1,0", tmuxPane: "%1" },
  explain: { ref: REF },
  prepareAttach: { ...ACTION, insideTmux: "/tmp/tmux-1000/default,1,0", mayFocus: true },
  openAttach: ACTION,
  dismiss: ACTION,
  markSeen: { ref: REF, until: "2026-01-01T00:00:00.000Z" },
  viewOutput: { ...ACTION, lines: 20, ansi: true, source: "screen", isPreview: true },
  send: { ...ACTION, text: "hi", pressEnter: true, toShell: false, idempotencyKey: "k" },
  answer: { ...ACTION, choice: { kind: "option", number: 1 }, idempotencyKey: null },
  interrupt: ACTION,
  kill: { ...ACTION, signal: "TERM", isConfirmed: true },
  audit: { limit: 5 },
  adapters: undefined,
  adapterCheck: { name: "x.json", text: '{"agent_type":"x"}' },
  adapterSwitch: { agent: "pi", enabled: false },
  adapterTry: { ref: REF, file: { name: "x.json", text: "{}" } },
  configGet: undefined,
  configSet: { key: "timing.contest_ms", value: 500 },
  integrationList: { target: "host" },
  integrationChange: { agent: "claude", target: "host", action: "install", dryRun: true },
  integrationVerify: { agent: "claude", target: "host" },
  integrationRemoveAll: { target: "host", dryRun: true },
  loginItemOff: { dryRun: true },
  setupLook: { target: "host" },
  doctor: { target: "host" },
};
const DESKTOP_INPUTS: Readonly<Record<string, unknown>> = {
  "desktop.state": undefined,
  "desktop.setTerminal": { kind: "command", argv: ["xterm", "-e", "{}"] },
  "desktop.setShortcut": { accelerator: "Control+Alt+A" },
  "desktop.setLaunchAtLogin": { isOn: true },
  "desktop.testNotification": undefined,
  "desktop.openLogs": undefined,
  "desktop.commandLine": undefined,
  "desktop.installCommandLine": undefined,
  "desktop.hide": undefined,
  "desktop.events": undefined,
};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** An error as a client has to be able to show it. */
const checkErrorShape = (shape: unknown): void => {
  hold(isRecord(shape) && typeof shape["message"] === "string", "an error without a message");
  if (!isRecord(shape)) return;
  const data = shape["data"];
  hold(isRecord(data) && !("stack" in data), "an error without data, or with a stack");
  if (!isRecord(data)) return;
  hold(Object.hasOwn(ERROR_CODES, String(data["agtmuxCode"])), `the code ${String(data["agtmuxCode"])}`);
  hold(typeof data["remedy"] === "string" && data["remedy"] !== "", "an error without a remedy");
  hold(
    data["agtmuxCode"] !== "E_INTERNAL",
    `an error that nobody foresaw: ${String(shape["message"]).slice(0, 300)}`,
  );
};

const checkAnswer = ({ status, body }: Answer): void => {
  hold(body.length <= MAX_ANSWER, "an answer without bound");
  // Node itself refuses what is no request, and lines that are too long.
  if ([400, 404, 405, 412, 413, 415, 431].includes(status) && !body.startsWith("{")) return;
  const answer: unknown = JSON.parse(body);
  hold(isRecord(answer) && ("result" in answer || "error" in answer), "neither result nor error");
  if (isRecord(answer) && "error" in answer) checkErrorShape(answer["error"]);
  hold(
    (status === 200) === (isRecord(answer) && "result" in answer),
    `the status ${status} with another answer`,
  );
};

const SUBSCRIPTIONS = new Set(["feed", "notices"]);
const isMutation = (router: ReturnType<typeof createRouter>, name: string): boolean =>
  Object.entries(router._def.procedures).some(
    ([known, procedure]) => known === name && procedure._def.type === "mutation",
  );

const procedureTarget = (shared: SharedDaemon, name: string, input: unknown): FuzzTarget =>
  defineTarget({
    name: `router/${name}`,
    weight: input === undefined ? 0.05 : 0.15,
    covers: [name],
    open: async () => {
      const daemon = await shared.open();
      const isPost = isMutation(createRouter(new FakeDaemon()), name);
      return {
        arbitrary: fc.tuple(
          fc.oneof(
            { weight: 6, arbitrary: mutatedJson([input ?? {}], 4) },
            { weight: 1, arbitrary: mutatedText([JSON.stringify(input ?? {})], 3) },
            { weight: 1, arbitrary: hostileText },
          ),
          fc.nat(19).map((number) => number === 0),
        ),
        check: async ([text, isOtherMethod]) => {
          // Longer lines are refused by Node before anything of ours sees them.
          const query = encodeURIComponent(text.toWellFormed()).slice(0, 12_000);
          const accept = SUBSCRIPTIONS.has(name) ? "text/event-stream" : undefined;
          const answer =
            isPost === isOtherMethod
              ? await ask(daemon, "GET", `/${name}?input=${query}`, null, accept)
              : await ask(daemon, "POST", `/${name}`, text, accept);
          if (accept === undefined || answer.status !== 200) checkAnswer(answer);
          else hold(answer.body.startsWith("event: connected"), "a stream that does not begin");
        },
        close: shared.close,
      };
    },
  });

const fakeDesktop = (): DesktopService => {
  const state = { platform: "linux" } as ReturnType<DesktopService["state"]>;
  return {
    state: () => state,
    setTerminal: () => state,
    setShortcut: () => state,
    setLaunchAtLogin: () => state,
    testNotification: () => Promise.resolve({ problem: null }),
    commandLine: () => Promise.resolve({ kind: "none" as const, reason: "a fake" }),
    installCommandLine: () => Promise.resolve({ kind: "none" as const, reason: "a fake" }),
    openLogs: () => Promise.resolve(),
    hide: () => {},
    // oxlint-disable-next-line require-yield -- nothing ever happens there
    events: async function* () {},
  };
};

const desktopTarget = (name: string, input: unknown): FuzzTarget =>
  defineTarget({
    name: `router/${name}`,
    weight: input === undefined ? 0.05 : 0.15,
    covers: [name],
    open: () => {
      const caller = createRouterCaller(createDesktopRouter(fakeDesktop()));
      return {
        arbitrary: fc.tuple(
          fc.oneof(mutatedValue([input ?? {}], 4), hostileText),
          fc.constantFrom("query" as const, "mutation" as const, "subscription" as const),
        ),
        check: async ([value, type]) => {
          const call = { type, path: name, input: value, signal: new AbortController().signal };
          try {
            await caller.call(call);
          } catch (error) {
            checkErrorShape(caller.toErrorShape(error, call));
          }
        },
      };
    },
  });

export const routerTargets = (): FuzzTarget[] => {
  const shared = createSharedDaemon();
  return [
    ...Object.entries(INPUTS).map(([name, input]) => procedureTarget(shared, name, input)),
    ...Object.entries(DESKTOP_INPUTS).map(([name, input]) => desktopTarget(name, input)),
    ...doorTargets(shared),
  ];
};
