import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compile } from '../../../src/compiler/compile.js';
import { simulate } from '../../../src/run/simulate/simulate.js';
import { readScript } from '../../../src/run-directory/simulation-script.js';
import { nodeNamed, ownHandlerOf } from '../../../src/web/simulator/advance-simulation.js';
import { exportScript } from '../../../src/web/simulator/export-script.js';
import type { Simulation } from '../../../src/web/simulator/simulation.js';
import { linePipelines, orderlyPipelines, pipelines } from '../../machine/arbitrary-program.js';
import { pipeline } from '../../run/harness.js';
import { fc, runsOf } from '../../support/fast-check.js';
import { begun, type Chooser, chooserOf, chosen, playedThrough } from '../../web/simulator/harness.js';

// DESIGN §5: what was played by hand in the page, `attractor run --script` plays again.

const numRuns = runsOf(60);

interface Exported {
  readonly isFaithful: boolean;
  /** Whether branches held stages that nobody decides about, which take turns by chance where they are ready at once. */
  readonly leftToChance: boolean;
}

async function expectReproduced(dot: string, chooser: Chooser, steps = 40): Promise<Exported> {
  const played = await playedThrough(await begun(dot), chooser, steps);
  const compilation = compile(dot);
  const { text, isFaithful } = await exportScript(played, compilation);
  const { startedAt: start } = played.state;
  const again = await simulate(dot, { script: readScript(parse(text), 'the export'), start });
  if (again.status === 'invalid') throw new Error('the pipeline cannot run');
  const path = played.state.path.toArray();
  if (isFaithful) {
    expect(again.path.slice(0, path.length), text).toEqual(path);
    if (played.state.status !== 'running') {
      expect(again.path.length, text).toBe(path.length);
      expect(again.status).toBe(played.state.status);
    }
  }
  return { isFaithful, leftToChance: hasOwnStagesInBranches(played) };
}

function hasOwnStagesInBranches({ events, program }: Simulation): boolean {
  return events.some((event) => {
    if (event.type !== 'StageStarted' || event.branch === undefined) return false;
    const node = nodeNamed(program, event.node_id);
    return ownHandlerOf(node) !== undefined && node.handler.type !== 'wait.human';
  });
}

const choosers = fc.infiniteStream(fc.nat({ max: 1_000_000 })).map((stream) => chooserOf(stream));

describe('an exported script', () => {
  it.each([
    ['pipelines without branches', linePipelines],
    ['pipelines whose branches keep to themselves', orderlyPipelines],
    ['pipelines with branches', pipelines],
  ])(
    'takes the same path in %s, or says that chance has its part in it',
    async (_name, arbitrary) => {
      // Where a time is up at the very moment in which it begins, the order of what happens then is anybody's guess.
      const runnable = arbitrary.filter(
        (dot) => compile(dot).program !== undefined && !dot.includes('timeout="0s"'),
      );
      await fc.assert(
        fc.asyncProperty(runnable, choosers, async (dot, chooser) => {
          const { isFaithful, leftToChance } = await expectReproduced(dot, chooser);
          expect(isFaithful || leftToChance).toBe(true);
        }),
        { numRuns },
      );
    },
    120_000,
  );
});

describe('a gate', () => {
  const gates = pipeline(
    'fan [shape=component]',
    'g [shape=hexagon, label="Which?"]',
    'h [shape=hexagon, label="And?", timeout="10s", human.default_choice=no]',
    'yes; no; b; join [shape=tripleoctagon]',
    'start -> fan; fan -> g; fan -> b; fan -> h',
    'g -> yes [label="[Y] Yes"]; g -> no [label="[N] No"]; yes -> join; no -> join',
    'h -> yes [label="yes"]; h -> no [label="no"]; b -> join; join -> exit',
  );

  it('in a branch, which others may overtake, is played again when it was answered', async () => {
    await fc.assert(
      fc.asyncProperty(choosers, async (chooser) => {
        expect(await expectReproduced(gates, chooser)).toMatchObject({ isFaithful: true });
      }),
      { numRuns: runsOf(60) },
    );
  });

  it('that is answered on the main line is exported as its answers', async () => {
    const dot = pipeline(
      'g [shape=hexagon, label="Again?"]',
      'a',
      'start -> g; g -> a [label="[A] Again"]; g -> exit [label="[S] Stop"]; a -> g',
    );
    const played = await chosen(dot, [
      { kind: 'answer', cursor: '', typed: 'A' },
      { kind: 'outcome', cursor: '', entry: { outcome: 'partial_success', notes: 'half' } },
      { kind: 'answer', cursor: '', typed: 'stop' },
    ]);
    const { text } = await exportScript(played, compile(dot));
    expect(played.state.status).toBe('success');
    expect(parse(text)).toEqual({
      nodes: { a: [{ outcome: 'partial_success', notes: 'half' }] },
      answers: { g: ['A', 'stop'] },
    });
  });
});
