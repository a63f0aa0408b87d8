import { expect, it } from "vitest";
import { configSchema } from "./config.ts";
import { hasPassword, refusePassword } from "./sshAddress.ts";

it.each([
  ["host", false],
  ["me@host", false],
  ["ssh://me@host:22", false],
  ["me@fe80::1", false],
  ["ssh://me@[fe80::1]:22", false],
  ["host:22", false],
  ["", false],
  ["me:secret@host", true],
  ["me:@host", true],
  [":secret@host", true],
  ["ssh://me:secret@host:22", true],
  ["SSH://me%3asecret@host", true],
  ["me:sec@ret@host", true],
  ["me:sec\nret@host", true],
])("%j has a password: %s", (address, expected) => {
  expect(hasPassword(address)).toBe(expected);
  const refused = configSchema.safeParse({ targets: [{ name: "vm1", ssh_target: address || "x" }] });
  expect(refused.success).toBe(!expected);
  if (!expected) return;
  expect(JSON.stringify(refused.error?.issues)).not.toMatch(/secret|sec@|host/);
  expect(() => refusePassword(address)).toThrow(expect.objectContaining({ code: "E_USAGE" }));
});
