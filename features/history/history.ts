// The feature "history": the sessions that agents keep on disk, to find again and to read. It reads the agents' logs and writes
// nothing but its own index.
import { LimitReader } from "./accountLimits.ts";
import { listAnswers, readAnswers, usageAnswers } from "./answers.ts";
import { answerOf } from "../../core/api/calls.ts";
import { HISTORY_CALLS, type HistoryService } from "./calls.ts";
import { createSessions, openIndex, type OpenIndex } from "./sessions.ts";
import type { Feature } from "../../core/ports/feature.ts";

export const createHistory = (): Feature => ({
  name: "history",
  calls: HISTORY_CALLS,
  start: (context) => {
    let opened: Promise<OpenIndex> | null = null;
    const sessions = createSessions(context, () => {
      opened ??= openIndex(context).catch((error: unknown) => {
        // The next question tries again.
        opened = null;
        throw error;
      });
      return opened;
    });
    const limits = new LimitReader(context);
    const service: HistoryService = {
      limits: ({ target }) => limits.list(target),
      ...listAnswers(sessions),
      ...readAnswers(sessions),
      ...usageAnswers(sessions),
    };
    return {
      answer: (call, input, caller) => answerOf(service, call)(input, caller),
      onChanges: () => {},
      keepsAwake: () => false,
      doctorChecks: () => [],
      close: async () => {
        limits.close();
        // Whoever asked for it to be opened has the error.
        const index = await opened?.catch(() => null);
        await index?.scan.close();
        await index?.usage.close();
        await index?.remote.close();
        await index?.remoteUsage.close();
        index?.db.close();
      },
    };
  },
});
