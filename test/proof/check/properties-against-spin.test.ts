import { expect, test } from 'vitest';
import { checkProperties } from '../../../src/check/check-properties.js';
import { sameReason } from '../../../src/check/stage-ways.js';
import { compile } from '../../../src/compiler/compile.js';
import { parseProperty } from '../../../src/parser/property/parse.js';
import { formulaOf } from '../../check/linear-time-logic.js';
import { sentencesAbout } from '../../check/random-properties.js';
import { numberedIds, promelaOf } from '../../lint/flow/promela.js';
import { type Model, models, textOf } from '../../lint/flow/random-pipelines.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { compilePromela, missingForSpin } from '../../support/spin.js';

/*
 * Random pipelines and properties: what `check` decides, against SPIN, which has the pipeline in Promela and the property as a
 * formula of linear temporal logic.
 */

const numRuns = runsOf(100);
/** Pipelines in one Promela model. */
const together = 20;
/** In milliseconds for one pipeline, of which most take a tenth. */
const longest = 10_000;
const missing = missingForSpin();

const cases = models
  .chain((model) =>
    fc.record({ model: fc.constant(model), text: sentencesAbout([...model.nodes.keys(), 'exit']) }),
  )
  .map((one) => ({ ...one, dot: dotOf(one) }))
  .map((one) => ({ ...one, compilation: compile(one.dot, { ruleSettings: new Map() }) }))
  .filter(({ compilation }) => compilation.program !== undefined);

function dotOf({ model, text }: { readonly model: Model; readonly text: string }): string {
  return textOf(model).replace('digraph G {', `digraph G {\ngraph ["check.it"="${text}"]`);
}

function parsed(text: string) {
  const { property } = parseProperty(text);
  if (property === undefined) throw new Error(`not a property: ${text}`);
  return property;
}

test.skipIf(missing.length > 0)(
  `144: SPIN decides random properties of random pipelines as check does${missing.length > 0 ? `: not installed: ${missing.join(', ')}` : ''}`,
  async () => {
    const all = fc.sample(cases, numRuns);
    const counts = { holds: 0, broken: 0, undecided: 0 };
    const wrong: string[] = [];
    for (let first = 0; first < all.length; first += together) {
      const some = all.slice(first, first + together);
      const claims = new Map(
        some.map(({ model, text }, index) => [`claim${index}`, formulaOf(parsed(text), numberedIds(model))]),
      );
      const verifier = compilePromela(
        promelaOf(
          some.map(({ model }) => model),
          claims,
        ),
      );
      for (const [index, { text, dot, compilation }] of some.entries()) {
        const { program } = compilation;
        if (program === undefined) continue;
        const [verdict] = await checkProperties({ ...compilation, program });
        if (verdict === undefined) throw new Error('no verdict');
        counts[verdict.kind] += 1;
        if (verdict.kind === 'undecided') continue;
        // The model does not know that a stage may fail twice for the same reason.
        if (verdict.kind === 'broken' && JSON.stringify(verdict.counterexample.script).includes(sameReason))
          continue;
        const isBroken = verifier.breaks(`claim${index}`, { PIPELINE: String(index) });
        if (isBroken !== (verdict.kind === 'broken'))
          wrong.push(`${text}: check says ${verdict.kind}, SPIN ${isBroken ? 'broken' : 'holds'}\n${dot}`);
      }
    }
    if (process.env.ATTRACTOR_PROOF_RUNS !== undefined) console.log(counts);
    expect(wrong).toEqual([]);
    expect(counts.holds).toBeGreaterThan(numRuns / 20);
    expect(counts.broken).toBeGreaterThan(numRuns / 20);
    expect(counts.undecided).toBeLessThan(numRuns / 10);
  },
  numRuns * longest,
);
