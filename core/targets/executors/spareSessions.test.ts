import { PassThrough } from "node:stream";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createSpareSessions, type SpareSessions } from "./sshExecutor.ts";
import type { ChannelEnd, TransportChannel } from "../sshTransport.ts";

interface Session {
  channel: TransportChannel;
  opened: PromiseWithResolvers<TransportChannel>;
  end: () => void;
  isLeft: () => boolean;
}

let sessions: Session[];
let spares: SpareSessions;

const open = (): Promise<TransportChannel> => {
  const opened = Promise.withResolvers<TransportChannel>();
  const ended = Promise.withResolvers<ChannelEnd>();
  const stdin = new PassThrough();
  const channel: TransportChannel = {
    stdin,
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    ended: ended.promise,
    destroy: () => {},
  };
  sessions.push({
    channel,
    opened,
    end: () => ended.resolve({ exitCode: 0, reason: "exit status 0" }),
    isLeft: () => stdin.writableEnded,
  });
  return opened.promise;
};
const finish = (index: number): void => {
  const { opened, channel } = sessions[index] ?? {};
  if (channel !== undefined) opened?.resolve(channel);
};
const turn = (): Promise<void> => vi.advanceTimersByTimeAsync(0).then(() => {});

beforeEach(() => {
  vi.useFakeTimers();
  sessions = [];
  spares = createSpareSessions(open);
});
afterEach(() => {
  vi.useRealTimers();
});

it("opens none beforehand while nobody is in a hurry", async () => {
  const taken = spares.take();
  finish(0);
  expect(await taken).toBe(sessions[0]?.channel);
  expect(sessions).toHaveLength(1);
});

it("has two open for whoever is in a hurry, and gives each to one command", async () => {
  spares.hurry();
  spares.hurry();
  expect(sessions).toHaveLength(2);
  for (const index of [0, 1]) finish(index);
  const taken = [await spares.take(), await spares.take()];
  expect(taken).toEqual([sessions[0]?.channel, sessions[1]?.channel]);
  expect([new Set(taken).size, sessions.length]).toEqual([2, 4]);
});

it("closes what nobody needed a while after the last word, and opens none after that", async () => {
  spares.hurry();
  finish(0);
  await vi.advanceTimersByTimeAsync(4_000);
  spares.hurry();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(sessions.map(({ isLeft }) => isLeft())).toEqual([false, false]);
  await vi.advanceTimersByTimeAsync(1_000);
  // The second one is closed as soon as it is open.
  finish(1);
  await turn();
  expect(sessions.map(({ isLeft }) => isLeft())).toEqual([true, true]);
  void spares.take();
  expect(sessions).toHaveLength(3);
});

it("gives no session that ended while it waited", async () => {
  spares.hurry();
  for (const index of [0, 1]) finish(index);
  await turn();
  sessions[0]?.end();
  await turn();
  expect(await spares.take()).toBe(sessions[1]?.channel);
});

it("opens another where one could not be opened, and says why that one cannot", async () => {
  spares.hurry();
  const taken = spares.take();
  sessions[0]?.opened.reject(new Error("the server refused another session"));
  await turn();
  sessions.at(-1)?.opened.reject(new Error("the connection is lost"));
  await expect(taken).rejects.toThrow("the connection is lost");
});

it("leaves nothing open when the connection ends", async () => {
  spares.hurry();
  finish(0);
  finish(1);
  spares.drop();
  await turn();
  expect(sessions.map(({ isLeft }) => isLeft())).toEqual([true, true]);
});
