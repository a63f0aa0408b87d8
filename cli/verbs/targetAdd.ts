// `agtmux target add <name>`: adds a machine to those that are watched. It waits a while for the first connection, because a
// person wants to know whether it works. The exit status does not depend on the connection.
import { AgtmuxError } from "../../core/model/errors.ts";
import { HOST_TARGET } from "../../core/model/runtime.ts";
import type { TargetAddedDocument } from "../../core/model/documents.ts";
import type { TargetView } from "../../core/model/view.ts";
import type { DaemonClient } from "../../core/rpc/socketClient.ts";
import { withDaemon, type CliContext } from "../context.ts";
import { toFailure } from "../failure.ts";
import { parseSshTarget, parseTmuxPath, parseTransport } from "../parse/targetSettings.ts";
import { cleanLine } from "../render/clean.ts";
import { describeConnected } from "../render/targetLines.ts";
import { printDocument } from "../document.ts";

export interface TargetAddOptions {
  kind?: string;
  sshTarget?: string;
  transport?: string;
  tmuxPath?: string;
  /** False with `--no-wait`. */
  wait?: boolean;
  json?: boolean;
}

/** Longer than an attempt may take: connecting, a slow login shell, and the first look at tmux. */
const WAIT_MS = 30_000;

interface Attempt {
  /** Null: the attempt was not awaited, or it still runs. */
  failure: AgtmuxError | null;
  isOver: boolean;
}

const waitForFirst = async (client: DaemonClient, name: string): Promise<Attempt> => {
  const limit = AbortSignal.timeout(WAIT_MS);
  try {
    await client.call((api) => api.targetConnect.mutate({ name }, { signal: limit }));
    return { failure: null, isOver: true };
  } catch (error) {
    return limit.aborted ? { failure: null, isOver: false } : { failure: toFailure(error), isOver: true };
  }
};

const describe = (target: TargetView, { failure, isOver }: Attempt): string[] => {
  const name = cleanLine(target.target);
  if (failure !== null)
    return [
      `${name} was added, but is not connected: ${cleanLine(failure.message)}`,
      cleanLine(failure.remedy),
      ...failure.details.map((detail) => `  ${cleanLine(detail)}`),
      `agtmux goes on trying; 'agtmux target connect ${name}' tries now.`,
    ];
  if (!isOver) return [`${name} was added; see 'agtmux target list' for how connecting goes.`];
  const reason = target.health_reason === null ? [] : [cleanLine(target.health_reason)];
  return [
    `${name} was added and is ${describeConnected(target)}.`,
    ...reason,
    `For exact states install hooks there: 'agtmux integrate <agent> --target ${name}'.`,
  ];
};

/** There is one local target, which always exists, so there is nothing to add (docs/adr/0015). */
const addLocal = async (context: CliContext, name: string, options: TargetAddOptions): Promise<void> => {
  if (name !== HOST_TARGET)
    throw new AgtmuxError(
      "E_UNSUPPORTED",
      `there is one local target, '${HOST_TARGET}', which is this machine and always watched`,
      {
        remedy:
          'For other tmux servers of this machine set "tmux_servers" in config.json; for another machine use --kind ssh.',
      },
    );
  if (options.sshTarget !== undefined || options.transport !== undefined || options.tmuxPath !== undefined)
    throw new AgtmuxError("E_USAGE", "a local target has no SSH settings", {
      remedy: 'Leave them out; "tmux_path" in config.json says where tmux is on this machine.',
    });
  await withDaemon(context, async (client) => {
    const all = await client.call((api) => api.targets.query());
    const item = all.find(({ target }) => target === HOST_TARGET);
    if (item === undefined)
      throw new AgtmuxError("E_TARGET_UNKNOWN", "the daemon does not list this machine");
    if (options.json === true) printDocument<TargetAddedDocument>(context, { item, problem: null });
    else context.print(`${HOST_TARGET} is this machine and is watched already.\n`);
  });
};

export const runTargetAdd = async (
  context: CliContext,
  name: string,
  options: TargetAddOptions,
): Promise<void> => {
  const { kind = "ssh" } = options;
  if (kind === "local") return addLocal(context, name, options);
  if (kind !== "ssh")
    throw new AgtmuxError("E_USAGE", `--kind does not know '${kind}'`, {
      remedy: "Kinds are ssh and local.",
    });
  const input = {
    name,
    sshTarget: parseSshTarget(options.sshTarget ?? name),
    transport: parseTransport(options.transport),
    tmuxPath: parseTmuxPath(options.tmuxPath),
  };
  await withDaemon(context, async (client) => {
    const added = await client.call((api) => api.targetAdd.mutate(input));
    const attempt: Attempt =
      options.wait === false ? { failure: null, isOver: false } : await waitForFirst(client, name);
    const all = await client.call((api) => api.targets.query());
    const target = all.find((one) => one.target === name) ?? added;
    if (options.json === true) {
      const { failure } = attempt;
      const problem =
        failure === null
          ? null
          : {
              code: failure.code,
              message: failure.message,
              remedy: failure.remedy,
              details: [...failure.details],
            };
      printDocument<TargetAddedDocument>(context, { item: target, problem });
    } else context.print(`${describe(target, attempt).join("\n")}\n`);
  });
};
