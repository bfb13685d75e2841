import { expect, it } from 'vitest';
import { checkProperties } from '../../../src/check/check-properties.js';
import { compile } from '../../../src/compiler/compile.js';
import { sentencesAbout } from '../../check/random-properties.js';
import { fc, runsOf } from '../../support/fast-check.js';

const policies = [
  '',
  '',
  'join_policy=first_success',
  'error_policy=fail_fast',
  'join_policy=k_of_n, join_k=1',
  'max_parallel=1',
];

/** Two branches of one or two stages between a fork and its join, perhaps with a loop, a gate or a fork inside. */
const forks = fc
  .record({
    policy: fc.constantFrom(...policies),
    first: fc.constantFrom(
      'a -> join',
      'a -> b -> join',
      'a -> b -> join\nb -> a [condition="outcome=fail"]\nb [max_visits=2]',
    ),
    second: fc.constantFrom(
      'c -> join',
      'c -> d -> join',
      'c -> d -> join\nc -> join [condition="outcome=fail"]',
      'c -> d -> join\nd [goal_gate=true]',
    ),
    join: fc.constantFrom('shape=tripleoctagon', 'prompt="Join"'),
    after: fc.constantFrom(
      'join -> exit',
      'join -> fork [condition="outcome=fail"]\njoin -> exit\nfork [max_visits=2]',
    ),
  })
  .map(
    ({ policy, first, second, join, after }) => `start [shape=Mdiamond]
      exit [shape=Msquare]
      fork [shape=component${policy === '' ? '' : `, ${policy}`}]
      join [${join}]
      a [prompt="A"] b [prompt="B"] c [prompt="C"] d [prompt="D"]
      start -> fork
      fork -> a
      fork -> c
      ${first}
      ${second}
      ${after}`,
  );

it('144: a property of branches is decided alike with and without the reduction', async () => {
  await fc.assert(
    fc.asyncProperty(forks, sentencesAbout(['a', 'c', 'join', 'fork', 'exit']), async (body, property) => {
      const compilation = compile(`digraph G { graph ["check.it"="${property}"]\n${body}}`);
      const { program } = compilation;
      if (program === undefined) return;
      const [reduced] = await checkProperties({ ...compilation, program });
      const [whole] = await checkProperties({ ...compilation, program }, { reduces: false });
      expect({ body, property, kind: reduced?.kind }).toEqual({ body, property, kind: whole?.kind });
    }),
    { numRuns: runsOf(25) },
  );
}, 60_000);
