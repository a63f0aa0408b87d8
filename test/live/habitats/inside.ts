// Agents behind a program of this machine: those of which nothing but the screen is known, and those whose process is seen all the
// same. After the agent has left, what it drew is printed behind that program, which is no agent.
import { execFile } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import type { Place } from "../agents/liveAgent.ts";
import { act, isRefusedByRule, promptAgent, wasRefused } from "../drive/act.ts";
import type { Stage } from "../drive/stage.ts";
import { STATE_SCENARIOS } from "../drive/states.ts";
import { hasFile } from "../drive/turns.ts";
import { untilTrue } from "../rig/livePane.ts";
import { quoted, type Habitat } from "./habitat.ts";

const run = promisify(execFile);

const FOLDER = "far";
const PORT = 2_222;
/** The agent, and then a shell. */
const session = (typed: string): string => `${typed}; env PS1='far$ ' bash --norc --noprofile -i`;

/** A server of ssh in the network of the run, and a client that reaches it without a question. */
const configureSsh = async ({ home }: Place): Promise<void> => {
  const at = (name: string): string => join(home, FOLDER, name);
  await mkdir(join(home, FOLDER), { recursive: true, mode: 0o700 });
  for (const name of ["host_key", "user_key"])
    await run("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-f", at(name)]);
  await run("cp", [at("user_key.pub"), at("authorized_keys")]);
  await writeFile(
    at("sshd_config"),
    [
      `Port ${PORT}`,
      "ListenAddress 127.0.0.1",
      `HostKey ${at("host_key")}`,
      `AuthorizedKeysFile ${at("authorized_keys")}`,
      `PidFile ${at("sshd.pid")}`,
      "StrictModes no",
      "UsePAM no",
      "PermitRootLogin yes",
      "",
    ].join("\n"),
  );
  await writeFile(
    at("ssh_config"),
    [
      "Host localhost",
      "  HostName 127.0.0.1",
      `  Port ${PORT}`,
      `  IdentityFile ${at("user_key")}`,
      "  StrictHostKeyChecking no",
      `  UserKnownHostsFile ${at("known_hosts")}`,
      "",
    ].join("\n"),
  );
};

const overSsh = (typed: string): string =>
  [
    `export -p | grep -v ' TMUX' >"$HOME/${FOLDER}/env"`,
    `mkdir -p /run/sshd; /usr/sbin/sshd -f "$HOME/${FOLDER}/sshd_config"`,
    `ssh -tt -F "$HOME/${FOLDER}/ssh_config" localhost ". $HOME/${FOLDER}/env; cd $PWD; "${quoted(session(typed))}`,
  ].join("; ");

const stopSsh = async ({ rig }: Stage): Promise<void> => {
  // It has ended with the network of the run where it could not be started.
  await run("sh", ["-c", `kill "$(cat ${join(rig.place.home, FOLDER, "sshd.pid")})"`]).catch(() => null);
};

const INNER = "inner.sock";
const SCREENS = "screens";

export const INSIDE_HABITATS: readonly Habitat[] = [
  {
    name: "ssh_localhost",
    needs: "ssh",
    inside: "ssh",
    configure: configureSsh,
    command: (_agent, typed) => overSsh(typed),
    finish: stopSsh,
  },
  {
    name: "inner_tmux",
    inside: "tmux",
    command: (_agent, typed) =>
      `TMUX= tmux -S "$HOME/${INNER}" -f /dev/null new-session ${quoted(session(typed))}`,
    finish: async ({ rig }) => {
      // It may have ended with its client.
      await run("tmux", ["-S", join(rig.place.home, INNER), "kill-server"]).catch(() => null);
    },
  },
  {
    name: "gnu_screen",
    needs: "screen",
    inside: "screen",
    configure: async ({ home }) => {
      await mkdir(join(home, SCREENS), { mode: 0o700 });
      await writeFile(join(home, ".screenrc"), "startup_message off\ndefutf8 on\naltscreen on\n");
    },
    // Started apart, so that its server is not below the pane.
    command: (_agent, typed) =>
      `export SCREENDIR="$HOME/${SCREENS}"; screen -U -dmS far bash -c ${quoted(session(typed))}; screen -U -r far`,
    finish: async ({ rig }) => {
      const env = { ...process.env, SCREENDIR: join(rig.place.home, SCREENS) };
      // It may have ended with its client.
      await run("screen", ["-S", "far", "-X", "quit"], { env }).catch(() => null);
    },
  },
  {
    name: "nvim_term",
    needs: "nvim",
    inside: null,
    command: (_agent, typed) => `nvim -u NONE -i NONE -c ${quoted(`term ${typed}`)} -c startinsert`,
  },
  {
    name: "nvim_split",
    needs: "nvim",
    inside: null,
    command: (_agent, typed) =>
      `nvim -u NONE -i NONE -c ${quoted(`belowright 30split | term ${typed}`)} -c startinsert`,
  },
  {
    name: "unshare_pid",
    needs: "unshare",
    inside: null,
    command: (_agent, typed) => `unshare -pf --mount-proc sh -c ${quoted(`${typed}; :`)}`,
  },
];

const DRIVEN = ["idle", "completed", "running", "waiting_approval", "error"];
const ROW_LIMIT_MS = 10_000;
const GONE_LIMIT_MS = 10_000;
/** For two looks and some more. */
const NEVER_MS = 5_000;
const EFFECT_LIMIT_MS = 8_000;

/** The row says what it is, and no more than that where only its screen is known. */
const checkRow = async (stage: Stage, inside: string | null): Promise<void> => {
  const { rig, pane } = stage;
  const isRight = async (): Promise<boolean> => {
    const row = await rig.product.row(pane.paneId);
    if (row === null || row.agent !== rig.agent.id || row.inside !== inside) return false;
    return (
      inside === null ||
      (row.confidence === "low" && row.agent_session_id === null && (row.activity?.folder ?? null) === null)
    );
  };
  const at = await untilTrue(isRight, ROW_LIMIT_MS);
  const row = await rig.product.row(pane.paneId);
  await stage.did("row", at !== null, `inside ${row?.inside}, confidence ${row?.confidence}`);
};

const approve = async (stage: Stage): Promise<void> => {
  const { rig } = stage;
  const file = `inside-${stage.next()}.txt`;
  const prompted = await promptAgent(stage, rig.agent.prompts.approval(file));
  if (typeof prompted === "string") return stage.did("approve", false, prompted);
  const { ref, fingerprint } = prompted;
  const answered = await act(stage, "answer", ref, "--approve", "--if-prompt", fingerprint, "--json");
  if (isRefusedByRule(stage, ["--approve"]))
    return stage.did("approve", wasRefused(answered), `by rule not: ${answered.said}`);
  const isDone = await untilTrue(() => hasFile(stage, file), EFFECT_LIMIT_MS);
  return stage.did("approve", answered.code === 0 && isDone !== null, answered.said);
};

/** Its process is not known, and the program in front is not it. */
const refuseKill = async (stage: Stage): Promise<void> => {
  const before = await stage.pane.show("#{pane_pid} #{pane_current_command}");
  const row = await stage.rig.product.row(stage.pane.paneId);
  const killed = await act(stage, "kill", row?.identity.pane_ref ?? "", "--yes", "--json");
  const after = await stage.pane.show("#{pane_pid} #{pane_current_command}");
  await stage.did("kill_refused", killed.code !== 0 && before === after, killed.said);
};

/** The agent leaves, its row goes, and its last screen, printed there, is none. */
const leave = async (stage: Stage): Promise<void> => {
  const { rig, pane } = stage;
  const shown = join(rig.place.home, "shown.txt");
  await writeFile(shown, await pane.screen());
  await pane.say(rig.agent.exit);
  await pane.untilShown(/far\$/);
  const isGone = async (): Promise<boolean> => ((await rig.product.row(pane.paneId))?.agent ?? null) === null;
  await stage.did("gone", (await untilTrue(isGone, GONE_LIMIT_MS)) !== null, "after it has left");
  await rig.tmux("send-keys", "-t", pane.paneId, "-l", `clear; cat ${shown}; cat`);
  await pane.press(["Enter"]);
  await wait(NEVER_MS);
  await stage.did("printed", await isGone(), "its screen, printed behind the same program");
};

export const driveInside = async (
  inside: string | null,
  stage: Stage,
  send: (stage: Stage) => Promise<void>,
): Promise<void> => {
  await checkRow(stage, inside);
  for (const scenario of STATE_SCENARIOS)
    if (DRIVEN.includes(scenario.name) && (scenario.lacks?.(stage.rig.agent) ?? null) === null)
      await scenario.run(stage);
  await send(stage);
  await approve(stage);
  if (inside === null) return;
  await wait(2_000);
  await refuseKill(stage);
  await leave(stage);
};
