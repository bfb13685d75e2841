import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { buildProgram, type Program } from '../../../src/graph/program.js';
import { nodesInBranches } from '../../../src/lint/flow/flow-forks.js';
import type { Answer } from '../../../src/lint/flow/flow-search.js';
import { flowSearch } from '../../../src/lint/flow/flow-search.js';
import type { RunEvent } from '../../../src/machine/event.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { factsByMachine } from '../../lint/flow/machine-explorer.js';
import { engineForkTexts, engineTexts } from '../../lint/flow/random-engine-keys.js';
import type { Facts } from '../../lint/flow/reference.js';
import { fc, runsOf } from '../../support/fast-check.js';

/** Parts of conditions of which there must be enough. */
const features = ['stages.', '.visits', 'result.node', 'internal.retry_count'];

interface Asked {
  readonly about: string;
  readonly answer: Answer;
  readonly isTrue: boolean;
  readonly shows: (events: readonly RunEvent[]) => boolean;
}

/** What the search says about every node, edge and end of a pipeline, and what the machine does. */
function answersOf(program: Program, facts: Facts): readonly Asked[] {
  const search = flowSearch(program.graph, knownHandlerTypes());
  if (search === undefined) throw new Error('no search');
  const stages = [...program.nodes.values()].filter(
    ({ handler }) => handler.type !== 'start' && handler.type !== 'exit',
  );
  // A branch that fails ends without the run.
  const inBranches = nodesInBranches(program);
  const ending = stages.filter(({ id, parallel }) => parallel === undefined && !inBranches.has(id));
  return [
    ...stages.map(({ id }) => ({
      about: `a run enters ${id}`,
      answer: search.entering(id),
      isTrue: facts.entered.has(id),
      shows: (events: readonly RunEvent[]) =>
        events.some((event) => event.type === 'StageStarted' && event.node_id === id),
    })),
    ...stages
      .flatMap(({ edges }) => edges)
      .map(({ from, to, index }) => ({
        about: `a run takes ${from} -> ${to}`,
        answer: search.leaving(from, ({ route }) => route.kind === 'edge' && route.edge.index === index),
        isTrue: facts.departures.some(({ edge }) => edge?.from === from && edge.to === to),
        shows: (events: readonly RunEvent[]) =>
          events.some(
            (event) => event.type === 'EdgeSelected' && event.from === from && event.edge === index,
          ),
      })),
    ...ending.flatMap(({ id }) =>
      (['stage', 'routing'] as const).map((kind) => ({
        about: `a run ends at ${id}: ${kind}`,
        answer: search.leaving(id, ({ route }) => route.kind === 'fail' && route.failure === kind),
        isTrue: facts.departures.some(
          ({ nodeId, end }) => nodeId === id && end === (kind === 'stage' ? 'stage_failed' : 'no_route'),
        ),
        shows: (events: readonly RunEvent[]) =>
          lastStarted(events) === id &&
          events.some((event) => event.type === 'PipelineFailed' && event.kind === kind),
      })),
    ),
  ];
}

/** A diamond fails with the stage before it, which the event names. */
function lastStarted(events: readonly RunEvent[]): string | undefined {
  return events.flatMap((event) => (event.type === 'StageStarted' ? [event.node_id] : [])).at(-1);
}

describe('what the search says about inputs, stages by name, restarts, failures and attempts', () => {
  test.each([
    {
      name: 'on the main line',
      texts: engineTexts,
      numRuns: runsOf(70),
      mostTransitions: 8000,
    },
    {
      name: 'in branches',
      texts: engineForkTexts,
      numRuns: runsOf(50),
      mostTransitions: 2000,
    },
  ])(
    '$name is what the machine itself does, and each run that it shows can be replayed',
    async ({ texts, numRuns, mostTransitions }) => {
      let [found, never, unknown, large] = [0, 0, 0, 0];
      const read = new Map(features.map((feature) => [feature, 0]));
      await fc.assert(
        fc.asyncProperty(texts, fc.nat(7), async ({ text, inputs }, chosen) => {
          const compilation = compile(text);
          const program = buildProgram(compilation.graph, knownHandlerTypes());
          const hopeless = new Set([...program.nodes.keys()].slice(chosen, chosen + 1));
          const facts = await factsByMachine(program, inputs, mostTransitions, hopeless);
          if (facts === undefined) {
            large += 1;
            return;
          }
          for (const [feature, count] of read) if (text.includes(feature)) read.set(feature, count + 1);
          for (const { about, answer, isTrue, shows } of answersOf(program, facts)) {
            if (answer.kind === 'unknown') {
              unknown += 1;
              continue;
            }
            expect(answer.kind === 'found', `${about}\n${text}`).toBe(isTrue);
            if (answer.kind === 'never') never += 1;
            if (answer.kind !== 'found') continue;
            found += 1;
            if (compilation.program === undefined) continue;
            const events: RunEvent[] = [];
            const given = JSON.parse(JSON.stringify(answer.witness)) as unknown;
            const script = readScript(given, 'of the witness');
            await simulate(compilation, {
              script,
              start: 0,
              seed: 1,
              onEvent: (event) => events.push(event),
            });
            expect(shows(events), `${about}\n${JSON.stringify(given)}\n${text}`).toBe(true);
          }
        }),
        { numRuns },
      );
      if (process.env.ATTRACTOR_PROOF_RUNS !== undefined) console.log({ found, never, unknown, large, read });
      expect(found).toBeGreaterThan(numRuns * 2);
      expect(never).toBeGreaterThan(numRuns);
      expect(unknown).toBeLessThan((found + never) / 4);
      for (const [feature, count] of read) expect(count, feature).toBeGreaterThan((numRuns - large) / 20);
    },
    runsOf(70) * 4000,
  );
});
