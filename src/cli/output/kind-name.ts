const shortNames: ReadonlyMap<string, string> = new Map([
  ['codergen', 'llm'],
  ['wait.human', 'human'],
  ['parallel.fan_in', 'fan-in'],
  ['stack.manager_loop', 'manager'],
]);

/** What progress calls the type of a handler. */
export function kindName(handlerType: string): string {
  return shortNames.get(handlerType) ?? handlerType;
}
