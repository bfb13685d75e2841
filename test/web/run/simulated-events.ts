import type { RunEvent } from '../../../src/machine/event.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';

/** The events of a pipeline as the engine tells them, from a simulation. */
export async function eventsOf(dot: string, script: object = {}): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  const result = await simulate(dot, {
    script: readScript(script, 'the test'),
    seed: 1,
    start: Date.UTC(2026, 0, 1),
    onEvent: (event) => events.push(event),
  });
  if (result.status === 'invalid')
    throw new Error(`the pipeline of the test is not valid: ${JSON.stringify(result)}`);
  return events;
}
