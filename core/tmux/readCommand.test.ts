import { describe, expect, it } from "vitest";
import { CLIENT_FORMAT } from "./clients.ts";
import { assertReadCommand } from "./tmuxCommand.ts";

describe("assertReadCommand", () => {
  it.each([
    [["list-panes", "-a", "-F", "#{pane_id} #{pane_title}"]],
    [["list-panes", "-a", "-f", "#{e|>=:#{window_activity},1700000000}", "-F", "#{pane_id}"]],
    [["capture-pane", "-p", "-t", "%12", "-S", "-20", "-E", "5"]],
    [["display-message", "-p", "#{pid} #{start_time}"]],
    [["list-clients", "-F", CLIENT_FORMAT]],
  ])("lets %j pass", (command) => {
    expect(() => assertReadCommand(command)).not.toThrow();
  });

  it.each([
    [[]],
    [["send-keys", "-t", "%1", "x"]],
    [["run-shell", "id"]],
    [["constructor"]],
    [["list-sessions", "-F", "#{session_id}"]],
    [["list-clients", "-t", "$1", "-F", "#{client_pid}"]],
    [["list-clients", "-F", "#(id)"]],
    [["list-panes", "-F", "#{pane_id}"]],
    [["list-panes", "-a", "-t", "$3"]],
    [["capture-pane", "-p", "-t", "@1"]],
    [["capture-pane", "-t", "%1"]],
    [["display-message", "hello"]],
    [["capture-pane", "-p", "-t", "%1;kill-server"]],
    [["capture-pane", "-p", "-t", "main:0.1"]],
    [["capture-pane", "-p", "-t"]],
    [["capture-pane", "-p", "-b", "x"]],
    [["list-panes", "-a", "-F", "#(id)"]],
    [["list-panes", "-a", "-F", "#{E:pane_title}"]],
    [["list-panes", "-a", "-F", "#{T:pane_title}"]],
    [["list-panes", "-a", "-F", "#{=10;T:pane_title}"]],
    [["list-panes", "-a", "-F", "x' ; kill-server '"]],
    [["list-panes", "-a", "-F", "x\nkill-server"]],
    [["list-panes", "-a", "-F", "x;"]],
    [["list-panes", ";", "kill-server"]],
    [["display-message", "-p", "x", "y"]],
    [["display-message", "-p", "-v"]],
  ])("refuses %j", (command) => {
    expect(() => assertReadCommand(command)).toThrow(/refused/);
  });
});
