import { linkSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import path from 'node:path';
import { expect, test, vi } from 'vitest';
import { leaveAnswer } from '../../../src/run/questions/question-files.js';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { questionOf } from './interviewer.contract.js';

vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>();
  return { ...real, linkSync: vi.fn(real.linkSync) };
});

test('an answer is left although its run ends meanwhile, and takes the directory away', async () => {
  const { linkSync: link } = await vi.importActual<typeof import('node:fs')>('node:fs');
  vi.mocked(linkSync).mockImplementationOnce((own, file) => {
    rmdirSync(path.dirname(String(file)));
    link(own, file);
  });
  const run = temporaryDirectory();
  const left = leaveAnswer(path.join(run, 'questions'), questionOf('MULTIPLE_CHOICE'), { value: 'A' });
  expect(readFileSync(left?.file ?? '', 'utf8')).toBe(left?.text);
  expect(readdirSync(run)).toEqual(['questions']);
});
