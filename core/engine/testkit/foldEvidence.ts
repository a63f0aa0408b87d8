// The facts of a whole stream, as tests compare them.
import type { Evidence } from "../../model/evidence.ts";
import { applyEvidence, EMPTY_FACTS, type Facts } from "../facts.ts";

export const foldEvidence = (evidence: Iterable<Evidence>): Facts => {
  let facts = EMPTY_FACTS;
  for (const one of evidence) facts = applyEvidence(facts, one);
  return facts;
};
