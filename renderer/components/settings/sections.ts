// The parts of the settings: which there are and what they are called.

export const SECTIONS = [
  { id: "targets", label: "Targets", hint: "Machines that are watched" },
  { id: "integrations", label: "Integrations", hint: "Hooks in the agents’ settings" },
  { id: "notifications", label: "Notifications", hint: "What you are told, and when not" },
  { id: "appearance", label: "Appearance", hint: "Theme and text size" },
  { id: "shortcuts", label: "Shortcuts", hint: "Keys here, and one that opens this window" },
  { id: "terminal", label: "Terminal", hint: "Where a pane is opened" },
  { id: "agents", label: "Agents", hint: "Which agents are recognised" },
  { id: "general", label: "General", hint: "Launch at login, what is kept" },
  { id: "command", label: "Command line", hint: "The agtmux command" },
  { id: "diagnostics", label: "Diagnostics", hint: "Check everything, copy a report" },
] as const;
export type SectionId = (typeof SECTIONS)[number]["id"];

export const labelOf = (id: SectionId): string => SECTIONS.find((section) => section.id === id)?.label ?? id;
