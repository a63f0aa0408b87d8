// What one size of `bench/scale.ts` costs, as its process prints it.
import * as z from "zod";

export const scaleFigureSchema = z.object({
  targets: z.number(),
  panes: z.number(),
  agents: z.number(),
  /** CPU of watching and ticking for one second of the simulated time. */
  cpuMsPerSecond: z.number(),
  cpuMsPerEvent: z.number(),
  /** Asked again while one agent in ten changed its state. */
  cpuMsPerList: z.number(),
  /** With no row's text known, as after a start. */
  cpuMsPerListAnew: z.number(),
  cpuMsPerSessions: z.number(),
  listBytes: z.number(),
  memoryMb: z.number(),
  residentMb: z.number(),
});
export type ScaleFigure = z.infer<typeof scaleFigureSchema>;
