import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Stage } from '../../src/handlers/handler.js';
import { HandlerRegistry } from '../../src/run/driver/handler-registry.js';
import { pipeline } from '../run/harness.js';
import { temporaryDirectory } from '../support/temporary-directory.js';
import { submitted } from './harness.js';

/** Runs a pipeline on a worker with a disk. @param look what the stage `looks` finds there */
async function worked(dot: string, look: (stage: Stage) => string): Promise<readonly string[]> {
  const home = temporaryDirectory();
  writeFileSync(path.join(home, 'child.dot'), pipeline('looks', 'start -> looks -> exit'));
  const found: string[] = [];
  const handlers = new HandlerRegistry().register('codergen', {
    execute(stage) {
      if (stage.node.id === 'looks') found.push(look(stage));
      return { status: 'success', notes: stage.node.id };
    },
  });
  const directory = path.join(home, 'run');
  const cluster = await submitted(dot, { handlers, workingDirectory: home }, home);
  const { view } = await cluster.work({ directory });
  expect(view.status).toBe('success');
  return [...found, existsSync(path.join(directory, 'a')) ? 'kept' : 'none'];
}

const inLine = pipeline('a', 'looks', 'start -> a -> looks -> exit');
const inChild = pipeline('a', 'sub [type=pipeline, child="child.dot"]', 'start -> a -> sub -> exit');

function notesOf(file: string): string {
  return JSON.parse(readFileSync(file, 'utf8')).notes;
}

test.each<readonly [how: string, dot: string, look: (stage: Stage) => string, found: readonly string[]]>([
  ['the run', inLine, ({ logsRoot }) => notesOf(path.join(logsRoot, 'a/status.json')), ['a', 'kept']],
  [
    'its own files',
    inLine,
    ({ stageDirectory }) => notesOf(path.join(stageDirectory, '../a/status.json')),
    ['a', 'kept'],
  ],
  [
    'its child run',
    inChild,
    ({ logsRoot }) => notesOf(path.join(logsRoot, '../../a/status.json')),
    ['a', 'kept'],
  ],
  ['nothing', inLine, () => 'no place', ['no place', 'none']],
])(
  'a stage that is told the directory of %s finds the status of an earlier one that left no files',
  async (_how, dot, look, found) => {
    expect(await worked(dot, look)).toEqual(found);
  },
);
