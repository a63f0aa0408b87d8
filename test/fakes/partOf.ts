/** A thing of which a test gives the members that matter to it. Asking it for another one fails with that member's name. */
export const partOf = <T extends object>(members: NoInfer<{ [K in keyof T]?: T[K] | undefined }>): T =>
  new Proxy(members, {
    get: (given, name, receiver) => {
      if (name in given || typeof name === "symbol" || name === "toJSON")
        return Reflect.get(given, name, receiver) as unknown;
      throw new Error(`the test gives no ${name}`);
    },
  }) as T;
