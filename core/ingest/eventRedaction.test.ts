// An event loses its secrets once, in the store: what ingest decides from is what the store gave back. The person still
// reads the request to the letter; a notification and the file do not have it.
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import type { IngestFixture } from "../../test/factories/ingest.ts";
import { toNotification } from "../api/notifications/notificationScheduler.ts";
import type { redactEvidence } from "../store/redactEvidence.ts";
import { redactText } from "../store/redact.ts";
import { listEvidence } from "../store/testkit/listEvidence.ts";
import { storedText } from "../store/testkit/storedText.ts";

// Files that ran before in this worker have loaded the modules: those of this file are loaded anew, around the counter.
const counted = vi.fn<typeof redactEvidence>();
vi.resetModules();
vi.doMock("../store/redactEvidence.ts", async (importOriginal) => {
  const original = await importOriginal<{ redactEvidence: typeof redactEvidence }>();
  return { ...original, redactEvidence: counted.mockImplementation(original.redactEvidence) };
});
const { createIngestFixture, somePane } = await import("../../test/factories/ingest.ts");
afterAll(() => {
  vi.doUnmock("../store/redactEvidence.ts");
  vi.resetModules();
});

const SECRET = `sk-ant-${"A1b2C3d4".repeat(5)}`;
const COMMAND = `curl -H 'x-api-key: ${SECRET}' https://example.com`;
let f: IngestFixture;

beforeEach(() => {
  f = createIngestFixture();
  f.topology([somePane()]);
  f.agent();
  counted.mockClear();
  f.hook("PermissionRequest", {
    tool_name: "Bash",
    tool_input: { command: COMMAND },
    tool_use_id: "toolu_1",
  });
});
afterEach(() => {
  f.store.close();
});

it("is redacted once on its way", () => {
  const row = f.ingest.rows(false)[0] ?? expect.fail();
  const stored = listEvidence(f.store, row.identity.runtime_id ?? "");
  expect(stored).toHaveLength(1);
  expect(counted).toHaveBeenCalledTimes(stored.length);
});

it("is stored, decided from and notified without its secret, and shown with it", () => {
  const row = f.ingest.rows(false)[0] ?? expect.fail();
  expect(row.request?.body).toBe(COMMAND);
  const [transition] = f.store.listTransitionsAfter(0, 100).slice(-1);
  expect(transition?.resolution?.request?.body).toContain("[redacted]");
  const notification = toNotification("n", row, {
    kind: "waiting_approval",
    sound: "none",
    redact: (text) => redactText(text, 10_000),
  });
  expect(notification.body).toContain("[redacted]");
  expect(notification.body + notification.title).not.toContain(SECRET);
  f.store.close();
  expect(storedText(f.storePath)).not.toContain(SECRET);
});
