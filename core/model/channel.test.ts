import { describe, expect, it } from "vitest";
import { checkChannels } from "./notifications.ts";
import { configProblems, isOfChannel, checkConfig } from "./config.ts";

const phone = { name: "phone", kind: "ntfy", url: "https://ntfy.sh/a-topic" };
const hook = { name: "hook", kind: "webhook", url: "https://example.org/x" };
const bell = { name: "bell", kind: "command", argv: ["notify-send", "agtmux"] };

const messageOf = (channel: unknown): string => {
  const { refused } = checkChannels([channel]);
  return refused[0]?.issues[0]?.message ?? "accepted";
};

describe("channels of config.json", () => {
  it("tell waits only, and the state only, unless the person says more", () => {
    const { channels, refused } = checkChannels([phone, hook, bell]);
    expect(refused).toEqual([]);
    for (const channel of channels)
      expect(channel).toMatchObject({
        enabled: true,
        events: ["waiting_approval", "waiting_input"],
        include: "state",
      });
  });

  it("that are wrong are refused by line, and all else stays in force", () => {
    const text = `{
  "idle_shutdown_ms": 5000,
  "channels": [
    { "name": "bell", "kind": "command",
      "argv": ["./bell"] },
    { "name": "hook", "kind": "webhook", "url": "https://example.org/x" },
    { "name": "hook", "kind": "webhook", "url": "https://example.org/y" },
    { "name": "phone", "kind": "ntfy",
      "url": "http://ntfy.sh/a-topic",
      "includes": "request" },
    7
  ]
}`;
    expect(configProblems(text)).toEqual([
      {
        line: 5,
        path: "channels.0.argv",
        message: "the program is an absolute path, or a name that PATH finds",
      },
      { line: 7, path: "channels.2.name", message: "another channel has this name" },
      {
        line: 9,
        path: "channels.3.url",
        message: "what leaves this machine goes over https; http is for 127.0.0.1, [::1] and localhost",
      },
      { line: 10, path: "channels.3.includes", message: "unknown key" },
      { line: 11, path: "channels.4", message: expect.any(String) },
    ]);
    expect(configProblems(text).every(isOfChannel)).toBe(true);
    const { config } = checkConfig(JSON.parse(text));
    expect(config?.idle_shutdown_ms).toBe(5_000);
    expect(checkChannels(config?.channels ?? []).channels.map(({ name }) => name)).toEqual(["hook"]);
  });

  it.each([
    ["http://127.0.0.1:8080/x", "accepted"],
    ["http://localhost/x", "accepted"],
    ["http://[::1]:9/x", "accepted"],
    ["https://hooks.example.org/T0/B1?x=1&y=%20", "accepted"],
    ["http://127.0.0.1.example.org/x", "goes over https"],
    ["http://10.0.0.7/x", "goes over https"],
    ["https://me:secret@example.org/x", "must not hold a password"],
    ["http://127.0.0.1@example.org/x", "must not hold a password"],
    ["https://example.org\\@127.0.0.1/x", "must not hold a password"],
    ["https://example.org\\x", "isn't an address"],
    ["https://exa mple.org/", "isn't an address"],
    ["https://example.org/x\ny", "isn't an address"],
    ["file:///etc/passwd", "isn't an address"],
    ["https://", "isn't an address"],
  ])("take the address %s as it is meant: %s", (url, expected) => {
    expect(messageOf({ ...hook, url })).toContain(expected);
  });

  it.each([
    [{ ...phone, url: "https://ntfy.sh" }, "ends with the topic"],
    [{ ...phone, url: "https://ntfy.sh/" }, "ends with the topic"],
    [{ ...bell, argv: [] }, "name a program"],
    [{ ...bell, argv: ["bin/x"] }, "an absolute path"],
    [{ ...bell, argv: ["a\u0000b"] }, "null character"],
    [{ ...bell, kind: "mail" }, "command, webhook or ntfy"],
    [{ ...hook, name: "a b" }, "letters, digits"],
    [{ ...hook, secret_file: "secret" }, "absolute path"],
    [{ ...hook, quiet: { from: "22:00", to: "22:00" } }, "same time"],
    [{ ...hook, events: { length: "x" } }, ""],
    [null, ""],
  ])("are refused with what to do: %j", (channel, expected) => {
    const message = messageOf(channel);
    expect(message).not.toBe("accepted");
    expect(message).toContain(expected);
  });
});
