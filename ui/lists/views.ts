// Which view the popover shows. A further view is one more member here, a place in the tabs, and its drawing in App.

export type View =
  | { kind: "agents" }
  | { kind: "sessions" }
  /** The windows of one session; `isMerged`: of all sessions of that name. */
  | { kind: "windows"; sessionKey: string; name: string; isMerged: boolean }
  | { kind: "targets" }
  /** Sessions that agents keep on disk. */
  | { kind: "history" }
  /** What is armed and what it did; `runtimeId`: for this agent alone. */
  | { kind: "armed"; runtimeId: string | null };

/** The views that a tab leads to. */
export const TABS = [
  { kind: "agents", label: "Agents", key: "g" },
  { kind: "sessions", label: "Sessions", key: "s" },
  { kind: "targets", label: "Machines", key: "m" },
  { kind: "history", label: "History", key: "h" },
  { kind: "armed", label: "Armed", key: "l" },
] as const satisfies readonly { kind: View["kind"]; label: string; key: string }[];
export type TabKind = (typeof TABS)[number]["kind"];

/** What a tab shows at first. */
export const viewOf = (kind: TabKind): View => (kind === "armed" ? { kind, runtimeId: null } : { kind });

/** What it shows comes from no feed: the view asks for it, and its list is its own. */
export const asksItself = ({ kind }: View): boolean => kind === "history" || kind === "armed";

/** The tab under which a view is. */
export const tabOf = (view: View): TabKind => (view.kind === "windows" ? "sessions" : view.kind);

/** Where Esc leads from a view; null when it closes the popover. */
export const parentOf = (view: View): View | null => {
  switch (view.kind) {
    case "agents":
      return null;
    case "sessions":
    case "targets":
    case "history":
      return { kind: "agents" };
    case "armed":
      return view.runtimeId === null ? { kind: "agents" } : viewOf("armed");
    case "windows":
      return { kind: "sessions" };
  }
};
