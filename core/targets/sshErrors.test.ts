import { describe, expect, it } from "vitest";
import { errorFromOpenSsh, noRouteError } from "./sshErrors.ts";

describe("what OpenSSH says", () => {
  it.each([
    [
      "ssh: Could not resolve hostname vm: Name or service not known",
      "E_TARGET_UNREACHABLE",
      "cannot be resolved",
    ],
    ["ssh: connect to host vm port 22: Connection refused", "E_TARGET_UNREACHABLE", "was refused"],
    ["ssh: connect to host vm port 22: Connection timed out", "E_TARGET_UNREACHABLE", "does not answer"],
    ["ssh: connect to host vm port 22: No route to host", "E_TARGET_UNREACHABLE", "no route to it"],
    ["Timeout, server vm not responding.", "E_TARGET_UNREACHABLE", "does not answer"],
    ["kex_exchange_identification: Connection closed by remote host", "E_TARGET_UNREACHABLE", "was closed"],
    ["me@vm: Permission denied (publickey,password).", "E_TARGET_AUTH", "none of the keys"],
    [
      "No ED25519 host key is known for [vm]:2222 and you have requested strict checking.\r\nHost key verification failed.\r\n",
      "E_TARGET_HOST_KEY",
      "is unknown",
    ],
    [
      "@@@\n@    WARNING: REMOTE HOST IDENTIFICATION HAS CHANGED!     @\nHost key for [vm]:2222 has changed and you have requested strict checking.\nHost key verification failed.",
      "E_TARGET_HOST_KEY",
      "CHANGED",
    ],
    [
      "@       WARNING: REVOKED HOST KEY DETECTED!\nHost key verification failed.",
      "E_TARGET_HOST_KEY",
      "revoked",
    ],
    ["something new", "E_TARGET_UNREACHABLE", "something new"],
    ["", "E_TARGET_UNREACHABLE", "without a message"],
  ])("%j becomes %s", (stderr, code, message) => {
    const error = errorFromOpenSsh("vm", stderr);
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) });
    expect(error.remedy).not.toBe("");
  });

  it("names the permission that macOS asks for where nothing leads to a host", () => {
    const said = "ssh: connect to host vm port 22: No route to host";
    expect(errorFromOpenSsh("vm", said, "darwin").remedy).toContain("Privacy & Security, Local Network");
    expect(errorFromOpenSsh("vm", said, "linux").remedy).not.toContain("Local Network");
    expect(noRouteError("vm", {}, "darwin").remedy).toContain("Local Network");
    const refused = errorFromOpenSsh("vm", "ssh: connect to host vm port 22: Connection refused", "darwin");
    expect(refused.remedy).not.toContain("Local Network");
  });

  it("names the entry to remove for a changed key, and is one printable line whatever the server says", () => {
    const changed = "REMOTE HOST IDENTIFICATION HAS CHANGED\nHost key for [vm]:2222 has changed and";
    expect(errorFromOpenSsh("vm", changed).remedy).toContain(`ssh-keygen -R "[vm]:2222"' and`);
    const elsewhere = `Offending ED25519 key in /etc/ssh/ssh_known_hosts:3\n${changed}`;
    expect(errorFromOpenSsh("vm", elsewhere).remedy).toContain('-f "/etc/ssh/ssh_known_hosts"');
    const hostile = errorFromOpenSsh("vm", `\u001b]0;title\u0007\u202e${"x".repeat(5_000)}`);
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    expect(hostile.message).not.toMatch(/[\u0000-\u001f\u202e]/);
    expect(hostile.message.length).toBeLessThan(300);
  });
});
