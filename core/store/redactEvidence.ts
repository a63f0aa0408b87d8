// The free-text fields of our own records, without secrets and within the lengths of their schemas. Identifiers (request
// keys, tool-use ids, fingerprints) are left alone: they are compared, and they are ids or hashes.
import {
  MAX_ACTIVITY_TEXT,
  MAX_FOLDER,
  type ActivityView,
  MAX_PROGRESS,
  type Evidence,
  type Signal,
  type Resolution,
} from "../model/evidence.ts";
import type { Envelope } from "../model/envelope.ts";
import type { PromptRequest, RequestView } from "../model/request.ts";
import type { Pane } from "../model/runtime.ts";
import type { PaneView } from "../model/view.ts";
import { redactRecord, redactText } from "./redact.ts";

const MAX_TITLE = 500;
const MAX_BODY = 8_000;
const MAX_LABEL = 500;
const MAX_MATCHED = 2_000;
const MAX_NAME = 200;

const redactBody = (text: string | null): string | null =>
  text === null ? null : redactText(text, MAX_BODY);

const redactTexts = <T extends PromptRequest | RequestView>(request: T): T => ({
  ...request,
  title: redactText(request.title, MAX_TITLE),
  body: redactBody(request.body),
  ...(request.content === undefined ? {} : { content: redactBody(request.content) }),
  ...(request.remark === undefined ? {} : { remark: redactBody(request.remark) }),
  options: request.options.map((option) => ({
    ...option,
    label: redactText(option.label, MAX_LABEL),
    ...(option.description === undefined ? {} : { description: redactBody(option.description) }),
  })),
});
const redactName = (name: string | null): string | null =>
  name === null ? null : redactText(name, MAX_NAME);

/** A request without secrets. It no longer counts as whole. Redacting twice changes nothing more. */
const redactRequest = ({ isWhole: _isWhole, ...request }: PromptRequest): PromptRequest => ({
  ...redactTexts(request),
  toolName: redactName(request.toolName),
});
const redactRequestView = (request: RequestView): RequestView => ({
  ...redactTexts(request),
  is_whole: false,
  tool_name: redactName(request.tool_name),
});
const redactOptionalRequest = (request: PromptRequest | null): PromptRequest | null =>
  request === null ? null : redactRequest(request);

const redactSignal = (signal: Signal): Signal => {
  switch (signal.kind) {
    case "request":
      return { ...signal, request: redactRequest(signal.request) };
    case "observation":
      return {
        ...signal,
        matched: redactText(signal.matched, MAX_MATCHED),
        request: redactOptionalRequest(signal.request),
      };
    case "activity":
      return signal.progress === undefined
        ? signal
        : { ...signal, progress: redactText(signal.progress, MAX_PROGRESS) };
    case "settled":
    case "dismissal":
      return signal;
  }
};

/** Evidence as it is stored. Redacting twice changes nothing more. */
export const redactEvidence = (evidence: Evidence): Evidence => ({
  ...evidence,
  eventType: redactText(evidence.eventType, MAX_NAME),
  signal: redactSignal(evidence.signal),
});

/** A resolution as it is stored: the request and the matched texts of its verdicts come from evidence. */
export const redactResolution = (resolution: Resolution): Resolution => ({
  ...resolution,
  request: redactOptionalRequest(resolution.request),
  verdicts: resolution.verdicts.map((verdict) => ({
    ...verdict,
    matched: verdict.matched === null ? null : redactText(verdict.matched, MAX_MATCHED),
  })),
});

/** A pane as it is stored: programs choose its title and its window's name. Sessions are named by people and are identities. */
export const redactPane = (pane: Pane): Pane => ({
  ...pane,
  title: redactText(pane.title, MAX_TITLE),
  windowName: redactText(pane.windowName, MAX_TITLE),
});

const redactLine = (text: string | null): string | null =>
  text === null ? null : redactText(text, MAX_ACTIVITY_TEXT);

export const redactActivity = (activity: ActivityView): ActivityView => ({
  ...activity,
  prompt: redactLine(activity.prompt),
  session_title: redactLine(activity.session_title),
  tool:
    activity.tool === null
      ? null
      : {
          name: redactText(activity.tool.name, MAX_ACTIVITY_TEXT),
          subject: redactLine(activity.tool.subject),
        },
  said: redactLine(activity.said),
  folder: activity.folder === null ? null : redactText(activity.folder, MAX_FOLDER),
  repository: redactLine(activity.repository),
  branch: redactLine(activity.branch),
  worktree: redactLine(activity.worktree),
  work_tree: activity.work_tree === null ? null : redactText(activity.work_tree, MAX_FOLDER),
});

/** A client's row as it is stored with a transition: it cannot be used to answer, and its activity is in the state's row. */
export const redactView = (view: PaneView): PaneView => ({
  ...view,
  title: redactText(view.title, MAX_TITLE),
  window_name: redactText(view.window_name, MAX_TITLE),
  progress: view.progress === null ? null : redactText(view.progress, MAX_PROGRESS),
  activity: null,
  request: view.request === null ? null : redactRequestView(view.request),
  prompt_fingerprint: null,
});

/** A waiting envelope as it is stored; its payload can still be normalised later. */
export const redactEnvelope = (envelope: Envelope): Envelope => ({
  ...envelope,
  payload: envelope.payload === null ? null : redactRecord(envelope.payload),
});
