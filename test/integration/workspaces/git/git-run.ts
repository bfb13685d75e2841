import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Stage } from '../../../../src/handlers/handler.js';
import { type PipelineRun, runOnDisk, type Setup } from '../../../run/harness.js';
import type { Repository } from './repository.js';

/** What a stage does with its files. */
export type Work = (files: StageFiles, stage: Stage) => unknown;

export interface StageFiles {
  readonly directory: string;
  write(name: string, text: string): void;
  append(name: string, text: string): void;
  read(name: string): string;
  has(name: string): boolean;
  list(): readonly string[];
}

/** LLM stages that work on files, by their ids; the others do nothing. */
export function working(stages: Readonly<Record<string, Work>>): NonNullable<Setup['handlers']> {
  const works = new Map(Object.entries(stages));
  return {
    codergen: async (stage) => {
      const result = await works.get(stage.node.id)?.(filesIn(stage.workingDirectory), stage);
      return typeof result === 'object' && result !== null ? (result as object) : { status: 'success' };
    },
  } as NonNullable<Setup['handlers']>;
}

function filesIn(directory: string): StageFiles {
  const at = (name: string): string => path.join(directory, name);
  return {
    directory,
    write: (name, text) => writeFileSync(at(name), text),
    append: (name, text) => appendFileSync(at(name), text),
    read: (name) => readFileSync(at(name), 'utf8'),
    has: (name) => existsSync(at(name)),
    list: () => readdirSync(directory).filter((name) => name !== '.git'),
  };
}

/** Runs a pipeline in a repository, whose files git keeps. */
export function runIn(repository: Repository, dot: string, setup: Setup = {}): Promise<PipelineRun> {
  const { directory } = repository;
  return runOnDisk(dot, {
    git: true,
    workingDirectory: directory,
    runDirectory: path.join(directory, '.attractor', 'runs', 'one'),
    ...setup,
  });
}

/** The subjects of the commits of a run, the latest first. */
export function subjectsOf(
  repository: Repository,
  { result }: PipelineRun,
  branch = branchOf(result),
): readonly string[] {
  const range = `main..${branch}`;
  return repository
    .git('log', '--format=%s', '--topo-order', range)
    .split('\n')
    .filter((line) => line !== '');
}

export function branchOf({ run_id }: { readonly run_id: string }): string {
  return `attractor/${run_id}`;
}
