import { expect, test } from 'vitest';
import { compile } from '../../src/compiler/compile.js';

/** Help for a check whose exit code is hidden; every one is a command for any `sh`, or what to leave out. */
const offers: readonly (readonly [command: string, offer: string])[] = [
  ['npx tsc 2>&1 | tee tsc.log', 'npx tsc >tsc.log 2>&1; code=$?; cat tsc.log; exit $code'],
  ['npm test | tee -a all.log', 'npm test >out.log; code=$?; cat out.log; exit $code'],
  ['npm test && echo ok || true', '|| true'],
  ['npm test && echo ok || echo no', '|| { echo no; exit 1; }'],
  ['npm test | tail -5', 'npm test >out.log; code=$?; tail -5 out.log; exit $code'],
];

test.each(offers)('check_cannot_fail offers for %s: %s', (command, offer) => {
  const { diagnostics } = compile(`digraph G {
    start [shape=Mdiamond]
    check [shape=parallelogram, timeout="5m", tool_command="${command}"]
    fix   [prompt="Mend it"]
    done  [shape=Msquare]
    start -> check
    check -> done [condition="outcome=success"]
    check -> fix  [condition="outcome=fail"]
    fix -> done
  }`);
  const found = diagnostics.filter(({ rule }) => rule === 'check_cannot_fail');
  expect(found.map(({ fix }) => fix?.title)).toEqual([expect.stringContaining(`\`${offer}\``)]);
});
