// One-shot tokens: used twice, guessed, late, of another run, of a message that was replaced, and in a flood.
import { randomBytes } from "node:crypto";
import { beforeEach, expect, it } from "vitest";
import { AnswerTokens, TOKEN_MS, type TokenSubject } from "./answerTokens.ts";

let now: number;
let tokens: AnswerTokens;
const open = (): AnswerTokens => new AnswerTokens({ now: () => now, randomBytes });
beforeEach(() => {
  now = 1_000_000;
  tokens = open();
});

const about = (messageId: string, fingerprint = "f1"): TokenSubject & { fingerprint: string } => ({
  messageId,
  runtimeId: "rt1",
  fingerprint,
  shown: "Command: git push",
});
const offer = (messageId = "m1"): [approve: string, deny: string] => {
  const [approve = "", deny = ""] = tokens.offer(about(messageId), [{ kind: "approve" }, { kind: "deny" }]);
  return [approve, deny];
};
const whyOf = (body: string): string => {
  const taken = tokens.take(body);
  return taken.kind === "ignored" ? taken.why : taken.kind;
};

it("has 128 bits that nobody chose, and is like no other", () => {
  const all = Array.from({ length: 50 }, (_, index) => offer(`m${index}`)).flat();
  expect(new Set(all).size).toBe(100);
  for (const token of all) expect(Buffer.from(token.split(".")[1] ?? "", "base64url")).toHaveLength(16);
});

it("gives its answer once, and ends the others of its message", () => {
  const [approve, deny] = offer();
  expect(tokens.take(` ${approve}\n`)).toMatchObject({
    kind: "answer",
    choice: { kind: "approve" },
    subject: { fingerprint: "f1", runtimeId: "rt1" },
  });
  expect([whyOf(approve), whyOf(deny), whyOf(approve)]).toEqual(["repeated", "repeated", "repeated"]);
  expect([tokens.ignored, tokens.isUsed("m1"), tokens.isUsed("m2")]).toEqual([3, true, false]);
});

it("is late after ten minutes, and after its wait; the person is told once", () => {
  const [approve, deny] = offer();
  now += TOKEN_MS - 1;
  expect(tokens.live).toHaveLength(1);
  now += 1;
  expect(tokens.live).toHaveLength(0);
  expect(tokens.take(approve)).toMatchObject({ why: "late", subject: { messageId: "m1" } });
  expect(tokens.take(deny)).toMatchObject({ why: "late", subject: null });
  const [second] = offer("m2");
  tokens.endWhere(({ messageId }) => messageId === "m2");
  expect(tokens.take(second)).toMatchObject({ why: "late", subject: { messageId: "m2" } });
  expect(tokens.isUsed("m2")).toBe(false);
  // What was late stays late, whatever the clock says.
  now -= TOKEN_MS;
  expect(whyOf(approve)).toBe("late");
});

it("that was replaced, guessed, or made by another run is nothing", () => {
  const [first] = offer();
  const [second] = offer();
  expect(whyOf(first)).toBe("wrong");
  const other = open();
  const [foreign = ""] = other.offer(about("m1"), [{ kind: "approve" }]);
  expect(whyOf(foreign)).toBe("foreign");
  const [tag = "", secret = ""] = second.split(".");
  for (const body of [
    "",
    " ",
    "approve",
    secret,
    `${tag}.`,
    second.slice(0, -1),
    `${second}x`,
    `${second} and more`,
    JSON.stringify({ token: second }),
    `${tag}.${randomBytes(16).toString("base64url")}`,
    "x".repeat(100_000),
  ])
    expect([body.slice(0, 40), whyOf(body)]).toEqual([body.slice(0, 40), "wrong"]);
  expect(whyOf(second)).toBe("answer");
});

it("more than ten in a minute that are no answers are a flood, fewer are not", () => {
  for (let count = 0; count < 10; count += 1) whyOf("guess");
  expect(tokens.isFlooded).toBe(false);
  now += 60_000;
  for (let count = 0; count < 10; count += 1) whyOf("guess");
  expect([tokens.isFlooded, tokens.ignored]).toEqual([false, 20]);
  tokens.noteForeign();
  expect(tokens.isFlooded).toBe(true);
});

it("a text begins with its message's code, as a phone may write it, and is taken once", () => {
  const subject = { ...about("m1"), fingerprint: null };
  const code = tokens.offerText(subject);
  expect(code).toMatch(/^[a-z2-9]{5}-[a-z2-9]{5}$/);
  expect([whyOf(code), whyOf(code.replace("-", "")), whyOf(`x${code} go on`)]).toEqual([
    "wrong",
    "wrong",
    "wrong",
  ]);
  expect(tokens.take(`${code.toUpperCase()}: go on,\nand push `)).toMatchObject({
    kind: "text",
    text: "go on,\nand push",
    subject,
  });
  expect(whyOf(`${code} go on`)).toBe("repeated");
});

it("no code leads to a button's answer, and no button's token to a text", () => {
  const [approve] = offer();
  const code = tokens.offerText({ ...about("m2"), fingerprint: null });
  expect([whyOf(`${approve} text`), whyOf(code)]).toEqual(["wrong", "wrong"]);
});

it("one request is answered once, whatever messages are about it", () => {
  const [first] = offer("m1");
  const [second] = offer("m2");
  expect([whyOf(second), whyOf(first)]).toEqual(["answer", "late"]);
  expect(tokens.offer(about("m3"), [{ kind: "deny" }])).toEqual([]);
  expect(tokens.offer(about("m4", "f2"), [{ kind: "deny" }])).toHaveLength(1);
});

it("remembers a bounded number of messages", () => {
  const [first] = offer("m0");
  for (let count = 1; count <= 100; count += 1) offer(`m${count}`);
  expect([whyOf(first), tokens.live.length]).toEqual(["wrong", 100]);
});
