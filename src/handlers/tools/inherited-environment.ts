let text = '{}';
let copy: Readonly<Record<string, string>> = {};
let isFresh = false;

/**
 * Copy of this process's environment: the same object as long as nothing changes there, so that a comparison with it
 * is made once. Reading each variable from the system is a tenth of the cost of starting a tool, so tools that are
 * started together share one look.
 */
export function inheritedEnvironment(): Readonly<Record<string, string>> {
  if (isFresh) return copy;
  isFresh = true;
  queueMicrotask(() => {
    isFresh = false;
  });
  const now = JSON.stringify(process.env);
  if (now === text) return copy;
  text = now;
  copy = JSON.parse(now) as Readonly<Record<string, string>>;
  return copy;
}
