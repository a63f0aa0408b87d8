import { describe, expect, it } from "vitest";
import { isKeyHints } from "./selector.ts";

describe("a row that explains keys", () => {
  it.each([
    "  enter select · esc back",
    "  ? help  esc back  ↑/↓ move  enter open  n new",
    "  n · new   s · from settings   e · edit   d · delete   esc · close",
    " q to quit   esc to edit prev",
    " ^o comfortable view   ^t transcript   ^e expand   ↑/↓ browse",
    "  No matches · full transcript · esc cancel",
    "(Press Esc to close)",
    "↑↓ navigate • enter select • esc cancel",
  ])("%s", (row) => expect(isKeyHints(row)).toBe(true));

  it.each([
    "",
    "  gpt-5 default · ~/project",
    "• Working (3s • esc to interrupt) · 1 background terminal running · /ps to view",
    "  1 background terminal running · /ps to view · /stop to close",
    "  a plan · b plan · c plan",
    "    shift + ← edit last queued message",
    "  Enter the building and go back.",
    "  esc again to edit previous message",
  ])("%s is none", (row) => expect(isKeyHints(row)).toBe(false));
});
