import { appendFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { renderReport } from '../../src/report/render-report.js';
import { sealed } from '../../src/run-directory/hashed-line.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { conversingRun } from './report-runs.js';

const now = Date.UTC(2030, 0, 2, 3, 4, 5);

test('123: a report has the conversation of each stage, as text that does nothing', async () => {
  const { directory } = await conversingRun();
  const page = await renderReport(directory, now);
  const [, section = ''] = page.split('<summary>Conversation ');
  const told = [
    ['the number of turns', /^<span class="note">\d turns</],
    ['each attempt', /attempt 1 · custom[\s\S]*attempt 2 · custom/],
    ['the prompt', /<summary>prompt<\/summary><pre>\nMake it green\./],
    ['reasoning', /<summary class="note">reasoning<\/summary><p class="prose note">First I look\./],
    ['Markdown', /<p class="heading">Plan<\/p><ul><li><strong>look<\/strong><\/li><\/ul>/],
    ['addresses as text', /notes <span class="note">\(https:\/\/example\.org\/a%22b\)<\/span>/],
    ['a picture as its address', /\[image: pixel\] <span class="note">\(https:\/\/example\.org\/p\.png\)/],
    ['HTML as text', /&lt;img src=x onerror=alert\(1\)&gt;/],
    ['tokens and cost', /1,234 in · 5 out · \$0\.25/],
    ['a call', /<code>run_command npm test<\/code> <span class="note">failed 1\.5s/],
    ['its input', /timeout: 5/],
    [
      'its result in colour, cut',
      /<span class="ansi-red">FAIL<\/span> &lt;b&gt;[\s\S]*and \d+ more characters/,
    ],
    [
      'an edit',
      /a\.txt<\/code> <span class="note">\+1 −1<[\s\S]*<span class="removed">-two\n<\/span><span class="added">\+three\n/,
    ],
    ['a person', /<strong>Ada<\/strong> <span class="note">a person, [\s\S]*Tabs\?[\s\S]*Use tabs\./],
    ['an outcome', /<strong>outcome:<\/strong> retry: tests are red/],
    ['a retry', /tried again: tests are red/],
  ] as const;
  expect(told.filter(([, pattern]) => !pattern.test(section)).map(([what]) => what)).toEqual([]);
  expect(page).not.toMatch(/<(?:a|img)\b(?! href="#)/);
  expect(page.match(/<script/g)).toHaveLength(1);
});

test('123: of a long conversation a report has the beginning, and says where all of it is', async () => {
  const { directory, file } = await conversingRun();
  const at = '2026-01-01T00:00:00.000Z';
  const lines = Array.from({ length: 3000 }, (_, turn) => {
    const content = [{ type: 'text', text: `Words of turn ${turn}. ${'y'.repeat(500)}` }];
    return `${sealed(JSON.stringify({ kind: 'assistant', at, content, end: 'complete' }))}\n`;
  });
  appendFileSync(file, `nonsense\n${lines.join('')}`);
  const page = await renderReport(directory, now);
  expect(page.length).toBeLessThan(250_000);
  expect(page).toContain('Words of turn 0.');
  expect(page).not.toContain('Words of turn 2999.');
  expect(page).toMatch(
    /The rest is left out: <code>work\/conversation\.jsonl<\/code> has all 2\.\d MB of it/,
  );
  expect(page).toContain('1 line of <code>work/conversation.jsonl</code> is damaged and left out.');
});

test('123: a link in the place of a conversation is not followed', async () => {
  const { directory, file } = await conversingRun();
  const secret = path.join(temporaryDirectory(), 'secret.jsonl');
  writeFileSync(
    secret,
    `${sealed('{"kind":"user","at":"2026-01-01T00:00:00.000Z","text":"not of this run"}')}\n`,
  );
  rmSync(file);
  symlinkSync(secret, file);
  const page = await renderReport(directory, now);
  expect(page).not.toContain('not of this run');
  expect(page).not.toContain('<summary>Conversation ');
});
