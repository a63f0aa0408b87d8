// What runs in a stand-in window before its page: the built preload, with a `require` that knows `electron` only. The
// binding and the delivery function are the two wires to the app.

/** Name of the function that carries a page's message out. */
export const SEND_BINDING = "__standInSend";
/** Name of the function that hands a page the app's message. */
export const DELIVER = "__standInDeliver";

/** Name of the function that asks the app to close the window. */
export const CLOSE_BINDING = "__standInClose";

/** Script text; `preload` is the source of the built CommonJS preload. */
export const preloadScript = (preload: string): string => `(() => {
  if (window.top !== window) return;
  const listeners = new Map();
  const of = (channel) => listeners.get(channel) ?? listeners.set(channel, new Set()).get(channel);
  const send = window.${SEND_BINDING};
  window.close = () => void window.${CLOSE_BINDING}();
  const electron = {
    contextBridge: { exposeInMainWorld: (name, api) => Object.defineProperty(window, name, { value: Object.freeze(api) }) },
    ipcRenderer: {
      send: (channel, ...args) => void send({ channel, args }),
      on: (channel, listener) => of(channel).add(listener),
      removeListener: (channel, listener) => of(channel).delete(listener),
    },
  };
  window.${DELIVER} = (channel, args) => {
    for (const listener of [...of(channel)]) listener({}, ...args);
  };
  const require = (name) => {
    if (name === "electron") return electron;
    throw new Error("a sandboxed preload cannot load " + name);
  };
  const module = { exports: {} };
  ((require, module, exports) => {
${preload}
  })(require, module, module.exports);
})();`;
