// The messages between the stand-in process and the test that drives it, over Node's child-process channel (structured clone).
// The test owns the browser; the stand-in owns everything that Electron would decide.

export interface MenuEntry {
  id: string;
  label: string;
  type: string;
  enabled: boolean;
}

/** From the stand-in: what the system would show. */
export type FromApp =
  | { kind: "window_create"; windowId: number; preload: string; width: number; height: number }
  | { kind: "window_load"; windowId: number; loadId: number; url: string }
  | { kind: "window_visible"; windowId: number; isVisible: boolean }
  | { kind: "window_reload"; windowId: number }
  | { kind: "app_hide" }
  | { kind: "window_place"; windowId: number }
  | { kind: "window_destroy"; windowId: number }
  | { kind: "ipc"; windowId: number; channel: string; args: unknown[] }
  | { kind: "page_answer"; requestId: number; answer: PageAnswer | null }
  | { kind: "tray"; image: string; title: string; tooltip: string }
  | { kind: "menu"; entries: MenuEntry[] }
  | {
      kind: "notification_show";
      id: string;
      title: string;
      body: string;
      silent: boolean;
      buttons: string[];
    }
  | { kind: "notifications_cleared" }
  | { kind: "message_box"; text: string }
  | { kind: "notification_close"; id: string }
  | { kind: "shortcuts"; accelerators: string[] }
  | { kind: "opened"; path: string }
  /** What keeps the machine from falling asleep now. */
  | { kind: "sleep_blockers"; types: string[] }
  | { kind: "verdict"; isAllowed: boolean }
  | { kind: "error_box"; title: string; content: string };

/** To the stand-in: what the person and the pages do. */
export type ToApp =
  | { kind: "window_loaded"; loadId: number; problem: string | null }
  | { kind: "window_resize"; windowId: number; width: number; height: number }
  | { kind: "window_close"; windowId: number }
  /** Another program comes to the front. */
  | { kind: "window_blur"; windowId: number }
  | { kind: "navigation"; windowId: number; url: string }
  | { kind: "page_request"; requestId: number; windowId: number; url: string; isPageNavigation: boolean }
  | { kind: "ipc"; windowId: number; url: string; isMainFrame: boolean; channel: string; args: unknown[] }
  | { kind: "tray_click" }
  | { kind: "menu_click"; id: string }
  | { kind: "notification_click"; id: string }
  | { kind: "notification_action"; id: string; actionIndex: number }
  | { kind: "notification_reply"; id: string; reply: string }
  /** How the system answers the next notifications; null: it shows them. */
  | { kind: "notification_problem"; problem: string | null }
  /** A button of the message box is pressed. */
  | { kind: "message_read"; button: number }
  | { kind: "shortcut"; accelerator: string }
  /** Another program holds it. */
  | { kind: "shortcut_taken"; accelerator: string }
  | { kind: "battery"; isOnBattery: boolean }
  | { kind: "power"; event: "suspend" | "resume" | "lock-screen" | "unlock-screen" }
  /** The tray is somewhere else now. */
  | { kind: "displays"; trayX: number }
  | { kind: "crash"; windowId: number; reason: string }
  /** Asks whether the page has a permission, as Chromium would ask the app. */
  | { kind: "may"; windowId: number; what: "permission" | "check" | "device" | "window"; value: string }
  | { kind: "quit" };

/** Null instead of an answer: the request was refused. */
export interface PageAnswer {
  status: number;
  headers: Record<string, string>;
  body: Uint8Array;
}
