// What a surface asks the person before an action is done: whether it is, or with which text.

/** A question before something is done. */
export interface Question {
  title: string;
  text: string;
  confirmLabel: string;
  onConfirm: () => void;
}

/** A text that an action needs before it is done. */
export interface TextQuestion {
  title: string;
  /** What the field is for. */
  label: string;
  /** What becomes of the text. */
  hint: string;
  initial: string;
  maxLength: number;
  confirmLabel: string;
  /** False: without a text there is nothing to do. */
  mayBeEmpty: boolean;
  /** What may be done beside it, off at first; absent: nothing. */
  extra?: string;
  onSubmit: (text: string, isExtraOn: boolean) => void;
}
