import { expect, it } from 'vitest';
import { checkProperties } from '../../../src/check/check-properties.js';
import { sameReason } from '../../../src/check/stage-ways.js';
import { compile } from '../../../src/compiler/compile.js';
import type { Observation } from '../../../src/graph/properties/observation.js';
import { observationOf } from '../../../src/machine/properties/monitors.js';
import { parseProperty } from '../../../src/parser/property/parse.js';
import { holdsIn } from '../../check/meaning.js';
import { sentencesAbout } from '../../check/random-properties.js';
import { models, textOf } from '../../lint/flow/random-pipelines.js';
import { historiesOf } from '../../lint/flow/reference.js';
import { fc } from '../../support/fast-check.js';

/*
 * Random pipelines and properties: what `check` decides, against an explorer that knows nothing of machine and automata. It follows
 * the reference semantics of the flow rules, and judges each history of a run by the statements of docs/properties.md.
 */

const runs = Number(process.env.ATTRACTOR_PROOF_RUNS ?? 100);

it('144: decides random properties of random pipelines as the reference does', async () => {
  const counts = { holds: 0, broken: 0, undecided: 0, cutOff: 0, skipped: 0 };
  await fc.assert(
    fc.asyncProperty(
      models.chain((model) => {
        const ids = [...model.nodes.keys()];
        return fc.record({ model: fc.constant(model), text: sentencesAbout([...ids, 'exit']) });
      }),
      async ({ model, text }) => {
        const dot = textOf(model).replace('digraph G {', `digraph G {\ngraph ["check.it"="${text}"]`);
        const compilation = compile(dot, { ruleSettings: new Map() });
        const { program } = compilation;
        if (program === undefined) {
          counts.skipped += 1;
          return;
        }
        const { property } = parseProperty(text);
        if (property === undefined) throw new Error(`not a property: ${text}`);
        const ids = [...model.nodes.keys()];
        const keeps = (seen: Observation): boolean =>
          seen.kind === 'completes' || text.includes('any stage') || text.includes(seen.nodeId);
        const reference = historiesOf(model, keeps, (history) => !holdsIn(history, property, ids));
        const [verdict] = await checkProperties({ ...compilation, program });
        if (verdict === undefined) throw new Error('no verdict');
        counts[verdict.kind] += 1;
        if (!reference.isComplete) counts.cutOff += 1;
        if (verdict.kind === 'holds')
          expect({ dot, broken: reference.found }).toEqual({ dot, broken: undefined });
        if (verdict.kind !== 'broken') return;
        const { events, script } = verdict.counterexample;
        const seen = events.flatMap(
          (event): Observation | readonly Observation[] => observationOf(event) ?? [],
        );
        const end = events.at(-1);
        const next: Observation[] =
          end?.type !== 'PipelineFailed' || /^the outcome/.test(end.error)
            ? []
            : [
                end.error.startsWith('the end of the run')
                  ? { kind: 'completes' }
                  : { kind: 'started', nodeId: end.node_id },
              ];
        expect({ dot, holds: holdsIn(seen, property, ids) }).toEqual({ dot, holds: next.length > 0 });
        expect({ dot, holds: holdsIn([...seen, ...next], property, ids) }).toEqual({ dot, holds: false });
        // The reference does not know that a stage may fail twice for the same reason.
        const repeats = JSON.stringify(script).includes(sameReason);
        if (reference.isComplete && !repeats)
          expect({ dot, isFound: reference.found !== undefined }).toEqual({ dot, isFound: true });
      },
    ),
    { numRuns: runs },
  );
  if (process.env.ATTRACTOR_PROOF_RUNS !== undefined) console.log(counts);
  expect(counts.holds).toBeGreaterThan(runs / 20);
  expect(counts.broken).toBeGreaterThan(runs / 20);
}, 600_000);
