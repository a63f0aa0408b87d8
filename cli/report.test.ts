import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { configLines, redactLine } from "./verbs/report.ts";
import { makeFakeHome, type FakeHome } from "./testing/fakeHome.ts";

let home: FakeHome;
const SECRET = "xoxb-1234567890-abcdefghij";
beforeEach(() => {
  home = makeFakeHome();
  mkdirSync(dirname(home.paths.log), { recursive: true });
  const targets = [{ name: "payroll", ssh_target: "ann@10.1.2.3", transport: "openssh" }];
  const channels = [
    { name: "phone", kind: "webhook", url: `https://hooks.example/${SECRET}`, events: [SECRET] },
  ];
  writeFileSync(
    home.paths.config,
    JSON.stringify({ targets, channels, idle_shutdown_ms: 5, [SECRET]: { a: SECRET } }),
  );
  const time = Date.parse("2026-11-22T10:00:00Z");
  const line = (msg: string, more = {}) => `${JSON.stringify({ level: 30, time, ...more, msg })}\n`;
  writeFileSync(
    home.paths.log,
    line("old one").repeat(1_500) +
      line("watching", {
        pane: "pane:host/merger-plan/@1/%5",
        folder: "/home/ann/merger",
        sessionName: "merger",
      }) +
      line("gone \u001b]0;x\u0007 /srv/merger/a.txt fe80:0:0:0:1:2:3:4 bob@vm.example"),
  );
});
afterEach(() => home.close());

it("is printed with what is in it said beside, without a daemon, and holds no name and no text of the person", async () => {
  const { code, stdout, stderr } = await home.run(["report"]);
  expect(code).toBe(0);
  expect(stdout.match(/^== .*/gm)).toEqual(["== versions", "== counts", "== doctor", "== config", "== log"]);
  for (const hidden of [
    SECRET,
    "payroll",
    "10.1.2.3",
    "merger",
    "/home/ann",
    "bob@",
    "fe80",
    "hooks.example",
    "\u001b",
  ])
    expect(stdout).not.toContain(hidden);
  expect(stdout).toContain('"transport": "openssh"');
  expect(stdout).toContain('"idle_shutdown_ms": 5');
  expect(stdout).toContain("watching pane=<pane> folder=~/<path>");
  expect(stdout.slice(stdout.indexOf("== log")).trim().split("\n")).toHaveLength(1_001);
  expect(stderr).toContain("log: the daemon's newest lines (1000 lines)");
  expect(stderr).toContain("Not in it: what agents were asked or said");
});

it("is written only after a yes, for its owner alone, and never over another file", async () => {
  const file = join(home.paths.home, "report.txt");
  const asked = await home.run(["report", "-o", file]);
  expect([asked.code, asked.stderr]).toEqual([6, expect.stringContaining("has to be seen first")]);
  const written = await home.run(["report", "-o", file, "--yes"]);
  expect([written.code, written.stdout]).toEqual([0, expect.stringContaining("The report has:")]);
  expect([statSync(file).mode & 0o777, readFileSync(file, "utf8").startsWith("== versions\n")]).toEqual([
    0o600,
    true,
  ]);
  writeFileSync(file, "mine");
  expect((await home.run(["report", "-o", file, "--yes"])).stderr).toContain("is there already");
  expect(readFileSync(file, "utf8")).toBe("mine");
});

it("shows nothing of settings that are no JSON", () => {
  expect(configLines(`{"a": "${SECRET}"`)).toEqual(["config.json isn't JSON (34 characters)."]);
  expect(configLines(null)).toHaveLength(1);
});

it.each([
  ["cd /srv/a/b && x", "cd <path> && x"],
  ["in ~/shop/api: y", "in ~/<path>: y"],
  ["in ~/.agtmux/log", "in ~/.agtmux/log"],
  ["/usr/bin/tmux", "/usr/bin/tmux"],
  ["'/Users/ann/x'", "'~/<path>'"],
  ["1/2 of a/b", "1/2 of a/b"],
  ["in /srv/my merger/plans of it/x.md, then", "in <path>, then"],
  ["in ~/my merger/x.md: y", "in ~/<path>: y"],
  ["/tmp/merger/x and /opt/merger/bin/y", "/tmp/<path> and /opt/<path>"],
  ["/private/var/folders/ab/merger, /tmp", "/private/<path>, /tmp"],
  ["/tmp/tmux-1000/default, /tmp/tmux-1000/merger", "/tmp/tmux-1000/default, /tmp/<path>"],
  ["/opt/homebrew/bin/tmux", "/opt/homebrew/bin/tmux"],
  ["/usr/bin/x --config=/srv/merger/y z", "/usr/bin/x --config=<path> z"],
  ["token=ghp_aB3dE6gH9jaB3dE6gH9j in 'sk-live-51H8aaaabbbbcccc'", "<long word> in '<long word>'"],
  [
    "a-hyphenated-sentence-without-digits 1234567890123456789012",
    "a-hyphenated-sentence-without-digits 1234567890123456789012",
  ],
])("leaves nothing of the person in %j", (line, redacted) => {
  expect(redactLine(line, [])).toBe(redacted);
});
