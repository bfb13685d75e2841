import { cpSync, readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { RunEvent } from '../../../src/machine/event.js';
import type { RunStatusName, Submission } from '../../../src/server/api/run.js';
import { type LocalRunRegistry, openRunRegistry } from '../../../src/server/runs/open-run-registry.js';
import type { RunRegistry, RunRegistryDeps } from '../../../src/server/runs/run-registry.js';
import type { ServerBounds, ServerOptions } from '../../../src/server/server-options.js';
import type { LogFields, LogLevel } from '../../../src/telemetry/log.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';

/** A registry of a test, and what it has told those who run it. */
export interface TestRegistry {
  readonly registry: LocalRunRegistry;
  readonly home: string;
  readonly directory: string;
  readonly logged: readonly {
    readonly level: LogLevel;
    readonly message: string;
    readonly fields: LogFields;
  }[];
  readonly options: ServerOptions;
}

export type TestOptions = Partial<Omit<ServerOptions, 'policy' | 'bounds'>> & {
  readonly allowTools?: boolean;
  readonly bounds?: Partial<ServerBounds>;
};

const testBounds: ServerBounds = {
  setBy: 'attractor serve',
  maxDepth: 10,
  maxSteps: 10_000,
  budgetUsd: 25,
  maxDiskBytes: 2 ** 30,
  maxTime: { milliseconds: 86_400_000, text: '24h' },
};

/** The options of a server that nobody has said anything about. */
export function serverOptions(
  directory: string,
  { allowTools = false, bounds, ...given }: TestOptions = {},
): ServerOptions {
  return {
    workingDirectory: directory,
    home: path.join(directory, '.attractor', 'runs'),
    host: '127.0.0.1',
    port: 0,
    allowedHosts: [],
    tokenFile: path.join(directory, 'token'),
    maxRunning: 4,
    maxQueued: 100,
    onRestart: 'resume',
    policy: { allowTools },
    bounds: { ...testBounds, ...bounds },
    maxBodyBytes: 1_000_000,
    requestsPerSecond: 1000,
    // No model is called, and nobody pretends unless it is said.
    extensions: { config: false, provider: 'simulated' },
    variables: { HOME: directory },
    ...given,
  } as ServerOptions;
}

/** Opens a registry, on the home of another test where that names one; it is closed when the test ends. */
export async function openRegistry(
  given: TestOptions = {},
  directory = temporaryDirectory(),
  deps: Partial<RunRegistryDeps> = {},
): Promise<TestRegistry> {
  const options = serverOptions(directory, given);
  const logged: TestRegistry['logged'][number][] = [];
  const log = {
    write: (level: LogLevel, message: string, fields: LogFields = {}) => {
      logged.push({ level, message, fields });
    },
  };
  const registry = await openRunRegistry(options, { log, ...deps });
  onTestFinished(() => registry.close());
  return { registry, home: options.home, directory, logged, options };
}

/** A copy of the home as `kill -9` would leave it: what a living process holds is held by nobody there. */
export function cutOff({ home, directory }: TestRegistry): string {
  const copy = temporaryDirectory();
  const kept = path.join(copy, path.relative(directory, home));
  cpSync(home, kept, { recursive: true });
  for (const entry of readdirSync(kept, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name);
    if (entry.isFile() && /^(?:lock|server\.lock)$/.test(entry.name)) rmSync(file);
  }
  return copy;
}

/** Waits until something is so, however long a loaded machine takes. */
export async function until(isSo: () => boolean, what = 'it'): Promise<void> {
  for (let turn = 0; !isSo(); turn += 1) {
    if (turn > 6000) throw new Error(`${what} did not come to be`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function untilStatus(
  registry: RunRegistry,
  id: string,
  ...wanted: readonly RunStatusName[]
): Promise<void> {
  return until(() => wanted.includes(registry.detail(id).status), `${id}: ${wanted.join(' or ')}`);
}

/** All events of a run until it has ended. */
export async function eventsOf(
  registry: RunRegistry,
  id: string,
  from?: number,
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of registry.events(id, { from, signal: new AbortController().signal }))
    events.push(event);
  return events;
}

/** A pipeline whose stages pretend to work, and end at once. */
export const quick: Submission = {
  dot: 'digraph Quick { goal="quick things" start [shape=Mdiamond] work [prompt="work"] done [shape=Msquare] start -> work -> done }',
};

/** One that asks whether it may continue. */
export const gated: Submission = {
  dot: `digraph Gated {
    start [shape=Mdiamond]
    gate [shape=hexagon, label="Ship it?"]
    ship [prompt="ship"]
    fix [prompt="fix"]
    done [shape=Msquare]
    start -> gate
    gate -> ship [label="[A] Approve"]
    gate -> fix [label="[F] Fix"]
    ship -> done
    fix -> done
  }`,
};

/** One whose stage works until it is stopped, as far as a test is concerned. */
export const endless: Submission = {
  dot: 'digraph Endless { start [shape=Mdiamond] work [prompt="work"] done [shape=Msquare] start -> work -> done }',
  script: { nodes: { work: [{ delay: '1h' }] } },
};
