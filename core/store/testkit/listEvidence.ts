// The evidence of a runtime as tests compare it: all at once, in the order of insertion.
import type { Evidence } from "../../model/evidence.ts";
import type { Store } from "../../ports/store.ts";

export const listEvidence = (store: Store, runtimeId: string): { row: number; evidence: Evidence }[] => {
  const found: { row: number; evidence: Evidence }[] = [];
  store.eachEvidence(runtimeId, (evidence, row) => found.push({ row, evidence }));
  return found.toSorted((a, b) => a.row - b.row);
};
