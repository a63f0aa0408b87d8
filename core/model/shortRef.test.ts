import { expect, it } from "vitest";
import { formatPaneRef } from "../engine/ref.ts";
import { partsOfPaneRef } from "./shortRef.ts";

it.each([
  ["host", "default", "work"],
  ["vm1", "side", "a b/c:d%41'(x)\u001b;größe"],
  ["vm.1_x-y", "default", "@1"],
])("gives the parts of every canonical reference, as of %s, %s, %j", (target, server, session) => {
  const ref = formatPaneRef({ target, server, sessionName: session, windowId: "@3", paneId: "%12" });
  expect(partsOfPaneRef(ref)).toEqual({
    target,
    tmux_server: server,
    session_name: session,
    window_id: "@3",
    pane_id: "%12",
  });
});

it.each([
  "runtime:rt1",
  "pane:host/work/1/%2",
  "pane:host/work/@1",
  "pane:a:b:c/w/@1/%1",
  "pane:host/%zz/@1/%1",
  "",
])("gives none of %j", (ref) => expect(partsOfPaneRef(ref)).toBeNull());
