import { describe, expect, test } from 'vitest';
import { compile } from '../../../src/compiler/compile.js';
import { knownHandlerTypes } from '../../../src/graph/known-handler-types.js';
import { buildProgram } from '../../../src/graph/program.js';
import { failuresThatEnd } from '../../../src/lint/flow/failures-that-end.js';
import { flowSearch } from '../../../src/lint/flow/flow-search.js';
import { claimsOf } from '../../lint/flow/claims.js';
import { promelaOf } from '../../lint/flow/promela.js';
import { type Model, models, textOf } from '../../lint/flow/random-pipelines.js';
import { factsOf } from '../../lint/flow/reference.js';
import { factsBySpin, type SpinFacts } from '../../lint/flow/spin-facts.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { compilePromela, missingForSpin } from '../../support/spin.js';

const numRuns = runsOf(100);
/** Pipelines in one Promela model. */
const together = 20;
/** In milliseconds for one pipeline, of which most take a tenth. */
const longest = 10_000;
const missing = missingForSpin();

/** Answers of the search about every node, edge, end, gate and round, which SPIN must agree with. */
function answersOf(model: Model, text: string, facts: SpinFacts) {
  const { graph } = compile(text);
  const search = flowSearch(graph, knownHandlerTypes());
  if (search === undefined) throw new Error(`no search over the runs of\n${text}`);
  // A final failure that comes again, which the models do not have, may end a run there (SEMANTICS 127).
  const mayEnd = failuresThatEnd(buildProgram(graph, knownHandlerTypes()));
  const ids = [...model.nodes.keys()];
  const within = new Set(ids);
  return [
    ...[...ids, 'exit'].map((id) => ({
      about: `a run enters ${id}`,
      kind: search.entering(id).kind,
      isTrue: facts.entered.has(id),
    })),
    ...model.edges.map(({ from, to }) => ({
      about: `a run takes ${from} -> ${to}`,
      kind: search.leaving(from, ({ route }) => route.kind === 'edge' && route.edge.to === to).kind,
      isTrue: facts.departures.some(({ edge }) => edge?.from === from && edge.to === to),
    })),
    ...ids.flatMap((id) =>
      (['stage_failed', 'no_route'] as const).map((end) => ({
        about: `a run ends at ${id}: ${end}`,
        kind: search.leaving(
          id,
          ({ route }) =>
            route.kind === 'fail' && (route.failure === 'routing' ? 'no_route' : 'stage_failed') === end,
        ).kind,
        isTrue: facts.departures.some((departure) => departure.nodeId === id && departure.end === end),
        mayStayOpen: end === 'stage_failed' && mayEnd.has(id),
      })),
    ),
    ...(['completed', 'failed'] as const).map((how) => ({
      about: `a run ends at the exit: ${how}`,
      kind: search.leaving('exit', ({ ending }) => ending === how).kind,
      isTrue: facts.endings.has(how === 'failed' ? 'gate_failed' : how),
    })),
    ...ids
      .filter((id) => model.nodes.get(id)?.goalGate)
      .map((id) => ({
        about: `a run completes without ${id}`,
        kind: search.completingWithout(id).kind,
        isTrue: facts.bypassed.has(id),
      })),
    ...ids.map((id) => ({
      about: `a run passes ${id} without an end`,
      kind: search.goingRound(within, [id]).kind,
      isTrue: facts.goesRound([id]),
    })),
  ];
}

describe('SPIN, on a Promela model of every pipeline', () => {
  test.skipIf(missing.length > 0)(
    `agrees with lint, with its search and with the reference${missing.length > 0 ? `: not installed: ${missing.join(', ')}` : ''}`,
    () => {
      const all = fc.sample(models, numRuns);
      let [claimed, decided, undecided] = [0, 0, 0];
      const wrong: string[] = [];
      for (let first = 0; first < all.length; first += together) {
        const some = all.slice(first, first + together);
        const verifier = compilePromela(promelaOf(some));
        for (const [index, model] of some.entries()) {
          const text = textOf(model);
          const facts = factsBySpin(verifier, model, index);
          expectSame(model, facts, text);
          // A finding without a proof says so.
          const proved = compile(text).diagnostics.filter(({ unproved }) => unproved !== true);
          for (const { rule, message, isTrue } of claimsOf(proved, facts)) {
            claimed += 1;
            if (!isTrue) wrong.push(`${rule}: ${message}\n${text}`);
          }
          for (const { about, kind, isTrue, ...more } of answersOf(model, text, facts)) {
            if (kind !== 'unknown') decided += 1;
            else if (!('mayStayOpen' in more && more.mayStayOpen)) undecided += 1;
            if (kind !== 'unknown' && (kind === 'found') !== isTrue) wrong.push(`${about}: ${kind}\n${text}`);
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(claimed).toBeGreaterThan(numRuns);
      expect(undecided).toBeLessThan(decided / 20);
    },
    numRuns * longest,
  );
});

function expectSame(model: Model, bySpin: SpinFacts, text: string): void {
  const facts = factsOf(model);
  if (facts === undefined) return;
  for (const name of ['entered', 'enteredWithout', 'completing', 'bypassed'] as const)
    expect([...bySpin[name]].sort(), `${name}\n${text}`).toEqual([...facts[name]].sort());
  const departures = ({ departures: some }: Pick<SpinFacts, 'departures'>) =>
    some.map((one) => JSON.stringify(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
  expect(departures(bySpin), text).toEqual(departures(facts));
  for (const id of model.nodes.keys())
    expect(bySpin.goesRound([id]), `round through ${id}\n${text}`).toBe(facts.goesRound([id]));
}
