// Who makes a call, for the few calls that not everybody may make.

/** The page of the app, in this process; a program that speaks over the socket; or one that gives no hint, such as a browser. */
export type Caller =
  | { readonly kind: "window" }
  /** `findPids`: the processes that prove to be the caller, at this moment; empty where that cannot be told. */
  | { readonly kind: "program"; readonly findPids: () => Promise<readonly number[]> }
  | { readonly kind: "unknown" };

/** What a procedure knows beside its input; absent: unknown. */
export interface CallContext {
  readonly caller?: Caller | undefined;
}
