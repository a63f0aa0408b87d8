// A pane for tests: an agent of the person's in the middle of a usual window. What a test is about it names itself.
import { HOST_TARGET, type Pane } from "../../core/model/runtime.ts";

/** `more` overrides single fields. */
export const somePane = (paneId = "%1", more: Partial<Pane> = {}): Pane => ({
  targetId: HOST_TARGET,
  server: "default",
  paneId,
  sessionId: "$0",
  sessionName: "main",
  alsoIn: [],
  windowId: "@1",
  windowIndex: 0,
  windowName: "work",
  paneIndex: 0,
  panePid: 500,
  tty: "/dev/pts/1",
  title: "",
  isActive: true,
  isDead: false,
  deadStatus: null,
  isAlternate: true,
  inMode: false,
  width: 120,
  height: 40,
  cursorX: 0,
  cursorY: 0,
  historySize: 0,
  windowActivity: 0,
  updatedAt: 0,
  ...more,
});
