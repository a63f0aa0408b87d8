// What the keys do: to the view, and to the selected row.
import type { RefObject } from "react";
import type { ActionDesk } from "../state/actionDesk.ts";
import type { KeyHold } from "../state/keyHold.ts";
import type { KeyCommand } from "../../ui/actions/keys.ts";
import type { Actions } from "./useActions.ts";
import { usePopoverKeys } from "./usePopoverKeys.ts";
import type { Rows } from "./useRows.ts";
import type { RowCommand, RowTools } from "./useRowTools.ts";

interface CommandsOptions {
  rows: Rows;
  tools: RowTools;
  actions: Actions;
  desk: ActionDesk;
  hold: KeyHold;
  inputRef: RefObject<HTMLInputElement | null>;
  onHelp: () => void;
  onSettings: () => void;
}

const activate = ({ rows, actions }: CommandsOptions): void => {
  const row = rows.selected ?? rows.rows.find((candidate) => candidate.key === rows.tabKey);
  if (row?.kind === "pane") actions.attach(row.pane);
  else if (row !== undefined) rows.toggle(row);
};

/** Leaves the innermost thing that can be left; false when there is none. */
const escape = ({ rows, desk, inputRef }: CommandsOptions): boolean => {
  const key = rows.selected?.key;
  const status = key === undefined ? undefined : desk.getStatuses().get(key);
  if (key !== undefined && status !== undefined && status.kind !== "sending") desk.clear(key);
  else if (rows.isFiltered) rows.clearFilter();
  else if (rows.openKey !== null) rows.close();
  else if (rows.back()) return true;
  else if (document.activeElement === inputRef.current) rows.select(rows.tabKey);
  else return false;
  return true;
};

/** Without a pane nothing is there to take what is typed on. */
const act = (command: RowCommand, { rows, tools, hold }: CommandsOptions): void => {
  if (rows.selected?.kind === "pane") tools.run(rows.selected.pane, command);
  else hold.hold();
};

/** Says whether there was something to do. */
const run = (command: KeyCommand, options: CommandsOptions): boolean => {
  const { rows } = options;
  const { selected } = rows;
  if (command === "escape") return escape(options);
  if (typeof command === "object") {
    act(command, options);
    return true;
  }
  switch (command) {
    case "moveDown":
      rows.move(1);
      break;
    case "moveUp":
      rows.move(-1);
      break;
    case "activate":
      activate(options);
      break;
    case "expand":
      if (selected !== undefined && (!rows.isExpanded(selected) || selected.kind === "pane"))
        rows.toggle(selected);
      break;
    case "collapse":
      if (selected !== undefined && rows.isExpanded(selected)) rows.toggle(selected);
      break;
    case "filter":
      options.inputRef.current?.focus();
      break;
    case "agents":
    case "sessions":
    case "targets":
      rows.go(command);
      break;
    case "help":
      options.onHelp();
      break;
    case "settings":
      options.onSettings();
      break;
    case "reply":
    case "approve":
    case "deny":
    case "whole":
    case "output":
    case "interrupt":
    case "kill":
    case "dismiss":
      act(command, options);
      break;
  }
  return true;
};

export const useCommands = (options: CommandsOptions): void =>
  usePopoverKeys(options.hold, (command) => run(command, options));
