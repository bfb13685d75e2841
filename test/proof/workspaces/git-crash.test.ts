import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { branchOf, runIn, working } from '../../integration/workspaces/git/git-run.js';
import { repositoryWith } from '../../integration/workspaces/git/repository.js';
import { pipeline, resumePipeline } from '../../run/harness.js';

const dot = pipeline(
  ...['one', 'p [shape=component]', 'b', 'c [max_retries=1]', 'd', 'e'],
  ...[
    'start -> one -> p',
    'p -> b -> d',
    'p -> c -> d',
    'd -> e [condition="outcome=fail"]',
    'd -> exit',
    'e -> exit',
  ],
);

const handlers = working({
  one: (files) => files.append('log', 'one '),
  b: (files) => files.write('b', files.list().join()),
  c: (files, { attempt }) => {
    files.append('c', `${files.list().join()} ${attempt}`);
    return attempt === 1 ? { status: 'retry', failure_reason: 'again' } : undefined;
  },
  d: (files) => {
    files.append('log', 'd ');
    return { status: 'fail', failure_reason: 'red' };
  },
  e: (files) => files.append('log', files.list().join()),
});

/** What a process leaves that died in the middle of a stage. */
function leaveHalfAFile(directory: string): void {
  const branches = path.join(directory, 'branch-work-trees');
  const trees = existsSync(branches) ? readdirSync(branches).map((name) => path.join(branches, name)) : [];
  for (const tree of [path.join(directory, 'work-tree'), ...trees]) {
    if (existsSync(tree)) writeFileSync(path.join(tree, 'half'), 'a fi');
  }
}

test('a run that is cut off at any line of its journal comes to the same files, and the checkout stays as it is', async () => {
  const repository = repositoryWith({ a: 'a' });
  const before = repository.look();
  const { result, directory } = await runIn(repository, dot, { handlers });
  const tree = (): string => repository.git('rev-parse', `${branchOf(result)}^{tree}`);
  const whole = tree();
  expect(repository.filesAt(whole)).toEqual({
    ...{ a: 'a', b: 'a,log', c: 'a,log 2' },
    log: 'one d a,b,c,log',
  });
  const journal = path.join(directory, 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  for (let kept = lines.length - 1; kept > 0; kept -= 1) {
    writeFileSync(journal, `${lines.slice(0, kept).join('\n')}\n`);
    leaveHalfAFile(directory);
    const resumed = await resumePipeline(directory, { handlers });
    expect(resumed.result, `after ${kept} lines`).toMatchObject({ status: 'success', path: result.path });
    expect(tree(), `after ${kept} lines`).toBe(whole);
  }
  expect(repository.look()).toBe(before);
}, 600_000);
