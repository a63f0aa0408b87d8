// When a target is connected again, on a clock of the test's own.
import { beforeEach, describe, expect, it } from "vitest";
import { AgtmuxError } from "../model/errors.ts";
import { createConnectionKeeper, type ConnectionKeeper, type Link } from "./connectionKeeper.ts";

interface Attempt {
  succeed(): FakeLink;
  fail(error?: Error): void;
}
interface FakeLink extends Link {
  breakDown(error?: Error): void;
  /** Closing hangs until this is called. */
  holdClose(): () => void;
  closes: number;
}

let now: number;
let timers: { at: number; run: () => void }[];
let attempts: Attempt[];
let links: FakeLink[];
let told: string[];
let random: number;
let keeper: ConnectionKeeper;

const settle = () => new Promise<void>((resolve) => setImmediate(resolve));
const pass = async (ms: number): Promise<void> => {
  const end = now + ms;
  for (;;) {
    const next = timers.toSorted((a, b) => a.at - b.at).find(({ at }) => at <= end);
    if (next === undefined) break;
    timers = timers.filter((one) => one !== next);
    now = next.at;
    next.run();
    await settle();
  }
  now = end;
};
const clock = {
  now: () => now,
  setTimer: (delayMs: number, run: () => void) => {
    const timer = { at: now + delayMs, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((one) => one !== timer);
    };
  },
};
const makeLink = (): FakeLink => {
  let listener: (error: Error) => void = () => {};
  let held: Promise<void> = Promise.resolve();
  const link: FakeLink = {
    closes: 0,
    onDown: (next) => {
      listener = next;
    },
    close: () => {
      link.closes += 1;
      return held;
    },
    breakDown: (error = new Error("lost")) => listener(error),
    holdClose: () => {
      const gate = Promise.withResolvers<void>();
      held = gate.promise;
      return gate.resolve;
    },
  };
  links.push(link);
  return link;
};
const begin = (): Promise<void> => {
  keeper.start();
  return settle();
};
/** The last attempt that was begun. */
const attempt = (): Attempt => {
  const last = attempts.at(-1);
  if (last === undefined) throw new Error("nothing was tried");
  return last;
};
const failing = async (error?: Error): Promise<void> => {
  attempt().fail(error);
  await settle();
};
const connected = async (): Promise<FakeLink> => {
  const link = attempt().succeed();
  await settle();
  return link;
};

beforeEach(() => {
  now = 1_000_000;
  timers = [];
  attempts = [];
  links = [];
  told = [];
  random = 0.5;
  keeper = createConnectionKeeper({
    attempt: () => {
      const made = Promise.withResolvers<Link>();
      attempts.push({
        succeed: () => {
          const link = makeLink();
          made.resolve(link);
          return link;
        },
        fail: (error = new Error("refused")) => made.reject(error),
      });
      return made.promise;
    },
    onUp: () => told.push("up"),
    onDown: (error) => told.push(error.message),
    clock,
    random: () => random,
  });
});

describe("attempts", () => {
  it("are one at a time, whoever asks how often", async () => {
    keeper.start();
    const asked = [keeper.connectNow(), keeper.connectNow()];
    await pass(600_000);
    expect(attempts).toHaveLength(1);
    await connected();
    await Promise.all(asked);
    await keeper.connectNow();
    expect([attempts.length, told, keeper.nextAttemptAt]).toEqual([1, ["up"], null]);
  });

  it("tell everybody who asked why they failed", async () => {
    await begin();
    const asked = [keeper.connectNow(), keeper.connectNow()];
    attempt().fail(new Error("no route"));
    for (const one of asked) await expect(one).rejects.toThrow("no route");
    expect(told).toEqual(["no route"]);
  });

  it("wait until nothing of the last connection is left, and are still one", async () => {
    await begin();
    const link = await connected();
    const release = link.holdClose();
    link.breakDown();
    const asked = [keeper.connectNow(), keeper.connectNow()];
    await pass(120_000);
    expect(attempts).toHaveLength(1);
    release();
    await settle();
    expect(attempts).toHaveLength(2);
    await connected();
    await Promise.all(asked);
    expect(attempts).toHaveLength(2);
  });

  it("come after pauses that double up to a minute, each half to one and a half times as long", async () => {
    await begin();
    const pauses: number[] = [];
    for (let index = 0; index < 9; index += 1) {
      await failing();
      pauses.push((keeper.nextAttemptAt ?? 0) - now);
      await pass(90_000);
    }
    expect(attempts).toHaveLength(10);
    expect(pauses).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000));
    random = 0;
    await failing();
    expect((keeper.nextAttemptAt ?? 0) - now).toBe(30_000);
    random = 0.999;
    await pass(30_000);
    await failing();
    expect((keeper.nextAttemptAt ?? 0) - now).toBeGreaterThan(89_000);
  });

  it.each(["E_TARGET_HOST_KEY", "E_TARGET_AUTH", "E_TMUX_MISSING", "E_USAGE"] as const)(
    "are rare after %s, which only a person can mend, and at once when one asks",
    async (code) => {
      await begin();
      await failing(new AgtmuxError(code, "not like this"));
      await pass(299_000);
      expect(attempts).toHaveLength(1);
      const asked = keeper.connectNow();
      await settle();
      expect(attempts).toHaveLength(2);
      await connected();
      await asked;
      expect(told).toEqual(["not like this", "up"]);
    },
  );

  it("do not come in a heap after a sleep: however far the clock jumps, one timer is one attempt", async () => {
    await begin();
    await failing();
    now += 8 * 3_600_000;
    await pass(1_000);
    await pass(3_600_000);
    expect(attempts).toHaveLength(2);
  });
});

describe("pauses", () => {
  const flap = async (heldMs: number): Promise<number> => {
    const link = await connected();
    now += heldMs;
    link.breakDown();
    await settle();
    const pause = (keeper.nextAttemptAt ?? 0) - now;
    await pass(120_000);
    return pause;
  };

  it("grow while a connection flaps, and begin again after one that held", async () => {
    await begin();
    const short = [await flap(1_000), await flap(1_000), await flap(1_000)];
    expect(short).toEqual([1_000, 2_000, 4_000]);
    expect(await flap(60_000)).toBe(1_000);
  });

  it("end when a person asks, and the attempt that was planned does not come as well", async () => {
    await begin();
    await failing();
    const asked = keeper.connectNow();
    await settle();
    await connected();
    await asked;
    await pass(600_000);
    expect(attempts).toHaveLength(2);
  });
});

describe("a connection", () => {
  it("that breaks is taken down once, and only its own end counts", async () => {
    await begin();
    const first = await connected();
    first.breakDown(new Error("cut"));
    first.breakDown(new Error("cut again"));
    await pass(2_000);
    const second = await connected();
    first.breakDown(new Error("an echo"));
    await settle();
    expect([first.closes, second.closes]).toEqual([1, 0]);
    expect(told).toEqual(["up", "cut", "up"]);
  });

  it("is tried again even when the last one could not be closed", async () => {
    await begin();
    const link = await connected();
    link.close = () => Promise.reject(new Error("stuck"));
    link.breakDown();
    await pass(2_000);
    expect(attempts).toHaveLength(2);
  });
});

describe("closing", () => {
  const nothingFollows = async (): Promise<void> => {
    const count = attempts.length;
    await keeper.connectNow();
    await pass(3_600_000);
    expect([attempts.length, timers]).toEqual([count, []]);
  };

  it("before the first attempt leaves nothing", async () => {
    await keeper.close();
    await nothingFollows();
    expect(told).toEqual([]);
  });

  it("in a pause ends it", async () => {
    await begin();
    await failing();
    await keeper.close();
    await nothingFollows();
  });

  it("in the middle of an attempt closes what that makes, and tells nobody that it is up", async () => {
    await begin();
    const closing = keeper.close();
    const link = attempt().succeed();
    await closing;
    expect([link.closes, told]).toEqual([1, []]);
    await nothingFollows();
  });

  it("in the middle of an attempt that fails plans no other", async () => {
    await begin();
    const closing = keeper.close();
    attempt().fail();
    await closing;
    expect(told).toEqual([]);
    await nothingFollows();
  });

  it("while connected closes the connection once, and its end is no failure", async () => {
    await begin();
    const link = await connected();
    const closing = keeper.close();
    link.breakDown(new Error("closed"));
    await closing;
    expect([link.closes, told]).toEqual([1, ["up"]]);
    await nothingFollows();
  });

  it("waits for what is left of a broken connection", async () => {
    await begin();
    const link = await connected();
    const release = link.holdClose();
    link.breakDown();
    let isClosed = false;
    const closing = keeper.close().then(() => (isClosed = true));
    await settle();
    expect(isClosed).toBe(false);
    release();
    await closing;
    await nothingFollows();
  });
});
