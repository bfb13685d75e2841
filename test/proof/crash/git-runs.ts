import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'vitest';
import { branchOf, runIn, type Work, working } from '../../integration/workspaces/git/git-run.js';
import { repositoryWith } from '../../integration/workspaces/git/repository.js';
import { resumePipeline } from '../../run/harness.js';
import type { CrashPipeline } from './pipelines.js';

/** What the stages of a run do with files that git keeps, and what is there in the end. */
export interface FilesOfGit {
  readonly stages: Readonly<Record<string, Work>>;
  /** In the repository before. */
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
}

/**
 * Cuts a run off whose files git keeps, where it is, at every line of its journal or at each so many of them: it comes to the
 * same files, and the checkout stays as it is.
 * @returns how many times it was cut off
 */
export async function cutGitRun(
  { dot, inputs, path: nodes }: CrashPipeline,
  { stages, before, after }: FilesOfGit,
  stride: number,
): Promise<number> {
  const repository = repositoryWith(before);
  const checkout = repository.look();
  const handlers = working(stages);
  const { result, directory } = await runIn(repository, dot, { handlers, ...(inputs && { inputs }) });
  expect(result.path.filter((id) => id !== 'start' && id !== 'exit').join(' ')).toBe(nodes);
  const tree = (): string => repository.git('rev-parse', `${branchOf(result)}^{tree}`);
  const whole = tree();
  expect(repository.filesAt(whole)).toEqual(after);
  const journal = path.join(directory, 'events.jsonl');
  const lines = readFileSync(journal, 'utf8').split('\n').slice(0, -1);
  let cuts = 0;
  for (let kept = lines.length - 1; kept > 0; kept -= stride) {
    writeFileSync(journal, `${lines.slice(0, kept).join('\n')}\n`);
    leaveHalfAFile(directory);
    const resumed = await resumePipeline(directory, { handlers });
    expect(resumed.result, `after ${kept} lines`).toMatchObject({ status: 'success', path: result.path });
    expect(tree(), `after ${kept} lines`).toBe(whole);
    cuts += 1;
  }
  expect(repository.look()).toBe(checkout);
  return cuts;
}

/** What a process leaves that died in the middle of a stage. */
function leaveHalfAFile(directory: string): void {
  const branches = path.join(directory, 'branch-work-trees');
  const trees = existsSync(branches) ? readdirSync(branches).map((name) => path.join(branches, name)) : [];
  for (const tree of [path.join(directory, 'work-tree'), ...trees]) {
    if (existsSync(tree)) writeFileSync(path.join(tree, 'half'), 'a fi');
  }
}
