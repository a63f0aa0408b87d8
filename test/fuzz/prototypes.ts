// Whether a case changed what every object inherits. The count is looked at after each case, the members after each batch.

const PROTOTYPES: readonly (readonly [string, object])[] = [
  ["Object", Object.prototype],
  ["Array", Array.prototype],
  ["Function", Function.prototype],
  ["String", String.prototype],
  ["Number", Number.prototype],
  ["Map", Map.prototype],
  ["Set", Set.prototype],
  ["Promise", Promise.prototype],
  ["RegExp", RegExp.prototype],
  ["Error", Error.prototype],
  ["JSON", JSON],
  ["Object (static)", Object],
];

interface PrototypeGuard {
  /** Throws naming the prototype that has another number of members than at the start. */
  checkCount(): void;
  /** Throws naming the prototype with another member than at the start. */
  checkMembers(): void;
}

export const guardPrototypes = (): PrototypeGuard => {
  const counts = PROTOTYPES.map(([, prototype]) => Reflect.ownKeys(prototype).length);
  const members = PROTOTYPES.map(([, prototype]) => Object.getOwnPropertyDescriptors(prototype));
  return {
    checkCount: () => {
      for (const [index, [name, prototype]] of PROTOTYPES.entries())
        if (Reflect.ownKeys(prototype).length !== counts[index]) {
          // Taken out again, so that the next case is not blamed for it.
          const before: object = members[index] ?? {};
          for (const key of Reflect.ownKeys(prototype))
            if (!Object.hasOwn(before, key)) Reflect.deleteProperty(prototype, key);
          throw new Error(`prototype pollution: ${name} has another number of members`);
        }
    },
    checkMembers: () => {
      for (const [index, [name, prototype]] of PROTOTYPES.entries()) {
        const before: Record<PropertyKey, PropertyDescriptor> = members[index] ?? {};
        for (const key of Reflect.ownKeys(prototype))
          if (Reflect.getOwnPropertyDescriptor(prototype, key)?.value !== before[key]?.value)
            throw new Error(`prototype pollution: ${name}.${String(key)} is another one`);
      }
    },
  };
};
