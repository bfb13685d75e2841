const shortNames: ReadonlyMap<string, string> = new Map([
  ['codergen', 'llm'],
  ['wait.human', 'human'],
  ['parallel.fan_in', 'fan-in'],
  ['stack.manager_loop', 'manager'],
]);

/** Short name of a handler type in the progress. */
export function kindName(handlerType: string): string {
  return shortNames.get(handlerType) ?? handlerType;
}
