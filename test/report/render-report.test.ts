import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { renderReport } from '../../src/report/render-report.js';
import { pipeline, runOnDisk } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { hostileRun, runWithEverything } from './report-runs.js';

const now = Date.UTC(2030, 0, 2, 3, 4, 5);

test('§9.6 a report tells all that happened in a run, and in the runs below it', async () => {
  const page = await renderReport(await runWithEverything(), now);
  const told = [
    [
      'its state and its goal',
      /<h1>G <span class="badge failed">fail<\/span><\/h1>\s*<p class="goal prose">Tell of everything</,
    ],
    ['where and why it failed', /<strong>Failed at end:<\/strong> the registry is closed/],
    [
      'what it was given',
      /Inputs<\/p><dl class="values">[\s\S]*<code>audience<\/code><\/dt><dd data-copy="audience"><pre>\neverybody</,
    ],
    ['what it cost', /<dt>Cost<\/dt><dd>\$0\.049</],
    ['the graph with the path', /<svg class="attractor"[\s\S]*failed/],
    ['a lane a stage', /aria-label="work: 2 visits, /],
    ['a bar a visit', /<rect class="done"[^>]*><title>work, visit 2: success in /],
    [
      'a visit',
      /<span class="title">Work on it<\/span> <code>work<\/code> <span class="note">visit 2<\/span>/,
    ],
    [
      'why a stage has failed',
      /<th scope="row">end<\/th>[\s\S]{0,80}<td class="prose">the registry is closed<\/td>/,
    ],
    ['its prompt', /<summary>Prompt [\s\S]{0,80}<pre>\nDo the work of work</],
    ['its response', /<pre>\n# Done\n\nIt was the 2th time\.</],
    ['that a log is cut', /The end of 60\.0 kB; <code>work\/visit-1\/stdout\.log<\/code> has it all/],
    ['what else it left', /<code>left\.bin<\/code> 17 B/],
    ['attempts', /<td>retry<\/td>[\s\S]{0,120}the model was busy/],
    [
      'the values that it gave',
      /<p class="heading">Outputs<\/p>[\s\S]*<code>answer<\/code>[\s\S]{0,200}<span class="key">&quot;of&quot;<\/span>: <span class="string">&quot;everything&quot;/,
    ],
    ['tool calls', /<code>read_file<\/code> <span class="note">ok, 12ms/],
    [
      'a question and its answer',
      /Is it good\?<\/p><p><span class="note">\[Y\] Yes \/ \[N\] No<\/span> → <strong>\[N\] No<\/strong>/,
    ],
    ['what was used by stage', /<th scope="row">work<\/th><td>3<\/td><td>3,600<\/td>/],
    ['what was used by model', /<th scope="row">claude-sonnet-4-5 \(anthropic\)<\/th><td>4<\/td>/],
    ['warnings', /<code>work<\/code> the model answered slowly/],
    ['artifacts', /<code>findings<\/code><\/th><td class="prose">What was found<\/td><td>11 B/],
    [
      'the child run',
      /<details class="child"><summary>Run [\s\S]*<h3 id="r24-summary">Summary<\/h3>[\s\S]*Do the work of draft/,
    ],
    ['the pipeline', /<pre>\ndigraph G \{/],
    ['when it was made', /2030-01-02 03:04:05 UTC/],
  ] as const;
  expect(told.filter(([, pattern]) => !pattern.test(page)).map(([what]) => what)).toEqual([]);
});

test.each([
  ['success', 'done'],
  ['fail', 'failed'],
] as const)('the reason of a stage that ended with %s has its colour', async (status, colour) => {
  const { directory } = await runOnDisk(pipeline('work', 'start -> work -> exit'), {
    backend: { run: () => Promise.resolve({ status, failure_reason: 'two tests are flaky' }) },
  });
  expect(await renderReport(directory, now)).toContain(`<p class="box ${colour} prose">two tests are flaky`);
});

test('§9.6 a report needs nothing from anywhere, and lets no script run but its own', async () => {
  const page = await renderReport(await runWithEverything(), now);
  expect(page).not.toMatch(/<(?:link|img|iframe|object|embed|base|form|use|image|a)\b(?! href="#)/);
  expect(page).not.toMatch(/url\((?!#)|@import/);
  const scripts = [...page.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(([, text = '']) => text);
  expect(scripts).toHaveLength(1);
  const hash = createHash('sha256')
    .update(scripts[0] ?? '')
    .digest('base64');
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  expect(policy.replaceAll('&#39;', "'").split('; ')).toEqual([
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    `script-src 'sha256-${hash}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(ids.length).toBeGreaterThan(20);
  expect(new Set(ids).size).toBe(ids.length);
});

const attacks = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg/onload=alert(1)>",
  '</pre></details></title></style><iframe src="javascript:alert(1)"></iframe>',
  ']]><!--</svg><a href="javascript:alert(1)">x</a>',
];

test.each(attacks)('§9.6 what others wrote stays text: %s', async (attack) => {
  const page = await renderReport(await hostileRun(attack), now);
  expect(page).not.toContain(attack);
  expect(page.match(/<script/g)).toHaveLength(1);
  const tags = new Set([...page.matchAll(/<([a-zA-Z][\w-]*)/g)].map(([, name]) => name));
  for (const name of ['img', 'iframe', 'object', 'embed', 'form', 'input', 'link', 'base'])
    expect(tags).not.toContain(name);
  const withoutValues = page.replaceAll(/="[^"]*"/g, '=""');
  expect(withoutValues).not.toMatch(/<[^>]*\s(?:on\w+|srcdoc|style)=/i);
  expect(page).not.toMatch(/<a href="[^#]/);
});

test('§9.6 characters that steer what shows them become visible', async () => {
  const page = await renderReport(await hostileRun('a\u001b[31mb\u0000c\u202ed'), now);
  expect(page).toContain('a␛[31mb');
  const steering = [...page].filter(
    (character) =>
      /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u.test(character) && character !== '\n' && character !== '\t',
  );
  expect(steering).toEqual([]);
});

test('DESIGN §4 secrets stay redacted, and keys that a program wrote to a log are left out', async () => {
  const key = `sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}AA`;
  const { directory } = await runOnDisk(pipeline('a [type=note]', 'start -> a -> exit'), {
    secrets: ['a-secret-of-mine-1234'],
    handlers: {
      note: (stage) => {
        stage.writeFile('prompt.md', 'with a-secret-of-mine-1234 inside');
        return { status: 'success', notes: 'a-secret-of-mine-1234' };
      },
    },
  });
  writeFileSync(path.join(directory, 'a', 'stderr.log'), `no such key: ${key}`);
  const page = await renderReport(directory, now);
  expect(page).not.toContain('a-secret-of-mine-1234');
  expect(page).not.toContain(key);
  expect(page).toContain('[redacted:');
});

test('§9.6 a link in the place of a file is not followed', async () => {
  const directory = await runWithEverything();
  const secret = path.join(temporaryDirectory(), 'secret');
  writeFileSync(secret, 'not of this run');
  const file = path.join(directory, 'work', 'prompt.md');
  rmSync(file);
  symlinkSync(secret, file);
  expect(await renderReport(directory, now)).not.toContain('not of this run');
});

test('§9.6 a run that was cut off has a report too', async () => {
  const directory = await runWithEverything();
  const journal = path.join(directory, 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n');
  const asked = lines.findIndex((line) => line.includes('"InterviewStarted"'));
  writeFileSync(journal, `${lines.slice(0, asked + 1).join('\n')}\n`);
  appendFileSync(journal, '{"seq":');
  const page = await renderReport(directory, now);
  expect(page).toContain('<span class="badge waiting">interrupted</span>');
  expect(page).toContain('<em>no answer yet</em>');
});
