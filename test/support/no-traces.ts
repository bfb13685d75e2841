import { afterAll, beforeAll, expect, vi } from 'vitest';

// The files of `npm test` share a process: what one of them changed there would be met by the next.
const watchedGlobals = ['fetch', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask', 'Date'];
// Modules that are loaded on demand listen to `exit` for as long as the process lives.
const watchedEvents = ['SIGINT', 'SIGTERM', 'SIGHUP', 'uncaughtException', 'unhandledRejection'];

let before: ReadonlyMap<string, unknown>;

beforeAll(() => {
  before = processState();
});

afterAll(() => {
  const after = processState();
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changed = names.filter((name) => before.get(name) !== after.get(name));
  expect(changed, 'what this file has changed in the process, and not put back').toEqual([]);
});

function processState(): ReadonlyMap<string, unknown> {
  return new Map<string, unknown>([
    ['the working directory', process.cwd()],
    ['fake timers', vi.isFakeTimers()],
    ...Object.entries(process.env).map(([name, value]) => [`the variable ${name}`, value] as const),
    ...watchedGlobals.map((name) => [name, Reflect.get(globalThis, name)] as const),
    ...watchedEvents.map((name) => [`listeners of ${name}`, process.listenerCount(name)] as const),
  ]);
}
