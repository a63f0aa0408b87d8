import { describe, expect, it } from "vitest";
import { assertReadCommand, toControlLine } from "./readCommand.ts";

describe("assertReadCommand", () => {
  it.each([
    [["list-panes", "-a", "-F", "#{pane_id} #{pane_title}"]],
    [["list-panes", "-s", "-t", "$3"]],
    [["capture-pane", "-p", "-t", "%12", "-S", "-20", "-E", "5"]],
    [["display-message", "-p", "#{pid} #{start_time}"]],
    [["list-clients", "-F", "#{client_pid}"]],
  ])("lets %j pass", (command) => {
    expect(() => assertReadCommand(command)).not.toThrow();
  });

  it.each([
    [[]],
    [["send-keys", "-t", "%1", "x"]],
    [["run-shell", "id"]],
    [["constructor"]],
    [["capture-pane", "-t", "%1"]],
    [["display-message", "hello"]],
    [["capture-pane", "-p", "-t", "%1;kill-server"]],
    [["capture-pane", "-p", "-t", "main:0.1"]],
    [["capture-pane", "-p", "-t"]],
    [["capture-pane", "-p", "-b", "x"]],
    [["list-panes", "-F", "#(id)"]],
    [["list-panes", "-F", "#{E:pane_title}"]],
    [["list-panes", "-F", "#{T:pane_title}"]],
    [["list-panes", "-F", "#{=10;T:pane_title}"]],
    [["list-panes", "-F", "x' ; kill-server '"]],
    [["list-panes", "-F", "x\nkill-server"]],
    [["list-panes", "-F", "x;"]],
    [["list-panes", ";", "kill-server"]],
    [["display-message", "-p", "x", "y"]],
    [["display-message", "-p", "-v"]],
  ])("refuses %j", (command) => {
    expect(() => assertReadCommand(command)).toThrow(/refused/);
  });
});

describe("toControlLine", () => {
  it("quotes whatever is no plain word", () => {
    expect(toControlLine(["list-panes", "-a", "-F", '#{pane_id} "x" $HOME ~'])).toBe(
      `list-panes -a -F '#{pane_id} "x" $HOME ~'`,
    );
    expect(toControlLine(["capture-pane", "-p", "-t", "%1"])).toBe("capture-pane -p -t '%1'");
  });
});
