import { Chalk } from 'chalk';
import { describe, expect, test } from 'vitest';
import { renderJson } from '../../src/testing/report/render-json.js';
import { renderJunit } from '../../src/testing/report/render-junit.js';
import { renderSummary } from '../../src/testing/report/render-summary.js';
import { renderTap } from '../../src/testing/report/render-tap.js';
import { play } from './play.js';

const mixed = `cases:
  - name: 'passes & is "fine" # 1'
  - name: fails
    script: { nodes: { test: [{ outcome: fail, failure_reason: "red \\e[31m <b>" }, {}] } }
    expect: { path: [start, draft, test, ok, exit], status: success, visits: { fix: 0 } }
`;
const unusable = 'cases: [{ name: a, expect: { path: [nowhere] } }]';

describe('results', () => {
  test('are a summary with the differences, for people', async () => {
    const text = renderSummary([await play(mixed), await play(unusable)], new Chalk({ level: 0 }));
    expect(text).toBe(`review.test.yaml
  ✔ passes & is "fine" # 1
  ✖ fails
    the path differs  review.test.yaml:5:21
      - expected  + happened
        start
        draft
        test
      + fix
      + test
        ok
        exit
    expected 0 visits of "fix", but there was 1  review.test.yaml:5:85

2 cases in 2 files: 1 failed, 1 passed, 1 unusable file
`);
  });

  test('are TAP', async () => {
    expect(renderTap([await play(mixed), await play(unusable)])).toBe(`TAP version 14
1..3
ok 1 - review.test.yaml: passes & is "fine" \\# 1
not ok 2 - review.test.yaml: fails
  ---
  message: |
    review.test.yaml:5:21: the path differs
        start
        draft
        test
      + fix
      + test
        ok
        exit
    review.test.yaml:5:85: expected 0 visits of "fix", but there was 1
  ...
not ok 3 - review.test.yaml: the file can be used
  ---
  message: |
    review.test.yaml:1:37: the pipeline has no node "nowhere"
  ...
`);
  });

  test('are JUnit XML without characters that XML forbids', async () => {
    const failing = `cases:
  - name: ends otherwise
    script: { nodes: { draft: { outcome: fail, failure_reason: "\\e[31m <b>\\ud800" } } }
`;
    const xml = renderJunit([await play(mixed), await play(failing), await play(unusable)]);
    expect(xml).toContain(
      '<testsuites name="attractor test" tests="4" failures="2" errors="1" time="0.000">',
    );
    expect(xml).toContain('name="passes &amp; is &quot;fine&quot; # 1"');
    expect(xml).toContain(
      `<testsuite name="review.test.yaml" file="review.test.yaml" tests="2" failures="1" errors="0" skipped="0" time="0.000">`,
    );
    expect(xml).toContain(
      '<failure message="the path differs; expected 0 visits of &quot;fix&quot;, but there was 1" type="expectation">',
    );
    expect(xml).toContain('but it was fail: ␛[31m &lt;b&gt;\ufffd"');
    expect(xml).toContain(
      '<error message="the pipeline has no node &quot;nowhere&quot;" type="unusable_file">',
    );
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b-\u001f\ud800-\udfff]/);
    expect(openElements(xml)).toEqual([]);
  });

  test('are JSON', async () => {
    const { files, ...counts } = JSON.parse(renderJson([await play(mixed), await play(unusable)]));
    expect(counts).toEqual({ passed: 1, failed: 1, unusable: 1 });
    expect(files[0].cases[1]).toMatchObject({
      name: 'fails',
      passed: false,
      status: 'success',
      mismatches: [
        { expectation: 'path.is', message: 'the path differs', line: 5, column: 21 },
        { expectation: 'visits.fix', line: 5, column: 85 },
      ],
    });
    expect(files[1]).toMatchObject({
      cases: [],
      diagnostics: [{ code: 'unknown_node', line: 1, column: 37 }],
    });
  });
});

/** Elements that are not closed in their order; none in a well-formed text. */
function openElements(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, closing, name = '', alone] of xml.matchAll(/<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>/g)) {
    if (alone === '/') continue;
    if (closing === '') open.push(name);
    else if (open.pop() !== name) return [`</${name}>`];
  }
  return open;
}
