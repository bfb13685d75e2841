import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import {
  coverageOf,
  coverageOverlay,
  renderCoverage,
  renderLcov,
} from '../../src/testing/report/render-coverage.js';
import { play } from './play.js';

const happy = 'cases: [{ name: a }]';
const both = `cases:
- name: repairs
  script: { nodes: { test: [{ outcome: fail }, {}], draft: [{}, { outcome: fail, failure_reason: x, retryable: false }] }, answers: { ok: ["No"] } }
  expect: { status: fail }
- name: ends
`;

const gated = `digraph gated {
  start [shape=Mdiamond]
  exit [shape=Msquare]
  work [prompt="Work.", goal_gate=true, max_retries=1, retry_target=mend]
  mend [prompt="Mend."]
  each [shape=component]
  a [prompt="A."]
  b [prompt="B."]
  join [shape=tripleoctagon]
  start -> work -> each
  each -> a -> join
  each -> b -> join
  join -> exit
  mend -> work
}
`;

describe('coverage', () => {
  test('counts nodes, edges, truth values, choices and failures, and lists what is open', async () => {
    const text = renderCoverage(coverageOf([await play(happy)]), new Chalk({ level: 0 }));
    expect(text).toBe(`coverage      nodes    edges  conditions  choices  failures
review.dot  5/6 83%  4/7 57%     2/4 50%  1/2 50%    0/3 0%

not covered
  "fix"  review.dot:7:3
  "test" -> "fix"  review.dot:11:3
  "fix" -> "test"  review.dot:12:3
  "ok" -> "draft"  review.dot:14:3
  "test" -> "ok": outcome=success is false  review.dot:10:3
  "test" -> "fix": outcome=fail is true  review.dot:11:3
  "ok": [N] No  review.dot:14:3
  "draft" fails  review.dot:5:3
  "test" fails  review.dot:6:3
  "fix" fails  review.dot:7:3
`);
  });

  test('of several cases is that of all of them', async () => {
    const [covered] = coverageOf([await play(both)]);
    const text = renderCoverage(covered ? [covered] : [], new Chalk({ level: 0 }));
    expect(text).toContain('review.dot  6/6 100%  7/7 100%    4/4 100%  2/2 100%   2/3 66%');
    expect(text.split('not covered')[1]).toBe('\n  "fix" fails  review.dot:7:3\n');
    expect(covered?.coverage.get('node draft')).toBe(3);
  });

  test('sees branches, retries, jumps to retry targets and goal gates', async () => {
    const text = `cases:
- name: retried
  script: { nodes: { work: [{ outcome: fail }, {}] } }
- name: fails
  script: { nodes: { work: [{ outcome: fail, retryable: false }, {}] } }
`;
    const [covered] = coverageOf([await play(text, gated)]);
    const ids = [...(covered?.coverage.keys() ?? [])];
    for (const id of [
      'failure work retries',
      'failure work fails',
      'failure work jumps',
      'node mend',
      'edge 2',
      'edge 4',
    ])
      expect(ids).toContain(id);
  });

  test('is an LCOV tracefile over the text of the pipeline', async () => {
    const lines = renderLcov(coverageOf([await play(happy)]))
      .trimEnd()
      .split('\n');
    expect(lines.slice(0, 3)).toEqual(['TN:', 'SF:review.dot', 'FN:3,start']);
    for (const line of [
      'FNDA:0,fix',
      'FNF:6',
      'FNH:5',
      'BRDA:10,0,0,1',
      'BRDA:10,0,1,0',
      'BRDA:7,0,0,-',
      'BRF:9',
      'BRH:3',
      'DA:9,1',
      'DA:12,0',
      'end_of_record',
    ])
      expect(lines).toContain(line);
  });

  test('colours a picture: covered, covered in part, and never reached', async () => {
    const [covered] = coverageOf([await play(happy)]);
    const overlay = covered && coverageOverlay(covered);
    expect(overlay?.caption).toBe('1 case · 12 of 22 covered');
    expect(overlay?.nodes.get('start')).toEqual({ state: 'done', visits: 1, words: '' });
    expect(overlay?.nodes.get('test')).toEqual({
      state: 'waiting',
      visits: 1,
      words: 'never fails, 2 untested',
    });
    expect(overlay?.nodes.has('fix')).toBe(false);
    expect(overlay?.edges.get(6)).toBe(0);
  });
});
