// The adapter for the Cursor CLI: which process it is, and how its parts are wired to the contract. Nobody could run it here: its
// events are those of its documents, its screens those that others published. None of its events stands for a wait, so waits are
// known by the screen alone.
import { type IdentifyMatch, type AgentAdapter } from "../../core/ports/agentAdapter.ts";
import type { ProcessInfo } from "../../core/model/runtime.ts";
import { baseName, firstMatch, wordsOf } from "../common/commandLine.ts";
import { BUILT_IN } from "../common/builtIn.ts";
import { createCursorIntegration } from "./integration.ts";
import { normalizeCursor } from "./normalize.ts";
import { readCursorScreen } from "./screen.ts";

// Which process: by its installer's documents `cursor-agent` in `cursor-agent/versions/<version>/`, so never more than medium.

const VERSIONED = /\/cursor-agent\/versions\/[^/]+\/(index\.js|cursor-agent|node)$/;
const SHELLS = /^(bash|dash|ksh|sh|zsh)$/;
const HELPERS =
  /^(acp|help|install-shell-integration|login|logout|ls|mcp|models|status|uninstall-shell-integration|update|upgrade|whoami)$/;
const WITHOUT_SCREEN = /^(--help|--print|--version|-h|-p|-v|worker)$/;

const matchOne = (process: ProcessInfo): IdentifyMatch | null => {
  // The launcher is a shell script of that name: the program that it starts is the agent.
  if (SHELLS.test(baseName(process.comm))) return null;
  const words = wordsOf(process.args);
  const [program = ""] = words;
  const isNamed = baseName(program) === "cursor-agent" && program.includes("/");
  const at = words.slice(0, 4).findLastIndex((word) => VERSIONED.test(word));
  if (!isNamed && at < 0) return null;
  const operands = words.slice(Math.max(at, 0) + 1).filter((word) => word !== "--use-system-ca");
  const first = operands.find((word) => !VERSIONED.test(word)) ?? "";
  if (HELPERS.test(first) || operands.some((word) => WITHOUT_SCREEN.test(word))) return null;
  const sign = at < 0 ? `program "cursor-agent"` : "a program of Cursor's versions folder";
  return { process, confidence: "medium", sign };
};

/** The first process, parents before children, that is the Cursor CLI with a screen; null for everything else. */
const identifyCursor = (processes: readonly ProcessInfo[]): IdentifyMatch | null =>
  firstMatch(processes, matchOne);

export const createCursorAdapter = (): AgentAdapter => ({
  ...BUILT_IN,
  agentType: "cursor",
  displayName: "Cursor CLI",
  recordedVersions: [],
  announcesExit: false,
  capabilities: { ...BUILT_IN.capabilities, verified: false },
  // How it goes on with a session is not known.
  launch: { program: "cursor-agent" },
  identify: identifyCursor,
  normalize: normalizeCursor,
  readScreen: readCursorScreen,
  configFolder: { usual: ".cursor" },
  integration: createCursorIntegration(),
});
