import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../../support/temporary-directory.js';
import { type PipelineRun, pipeline, runOnDisk, type Setup } from '../harness.js';

/** Files of a project, by their path; `main.dot` is the pipeline that is run. */
export type Files = Readonly<Record<string, string>> & { readonly 'main.dot': string };

/** A directory with these files in it. */
export function projectOf(files: Readonly<Record<string, string>>): string {
  const directory = temporaryDirectory();
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(directory, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  return directory;
}

/** Runs `main.dot` of a project; tools run in its directory. */
export function runProject(files: Files, setup: Setup = {}): Promise<PipelineRun> {
  const project = projectOf(files);
  const sourcePath = path.join(project, 'main.dot');
  return runOnDisk(files['main.dot'], { workingDirectory: project, sourcePath, ...setup });
}

/** A pipeline that runs `child.dot` in its stage `sub`. */
export function subPipeline(attributes = '', ...more: readonly string[]): string {
  return pipeline(`sub [type=pipeline, child="child.dot"${attributes}]`, 'start -> sub -> exit', ...more);
}

/** A pipeline whose stage `lead` is a manager of `child.dot`. */
export function managed(attributes = '', ...more: readonly string[]): string {
  return pipeline(
    '"stack.child_dotfile"="child.dot"',
    `lead [shape=house${attributes}]`,
    'start -> lead -> exit',
    ...more,
  );
}

/** The same with a stage before that could write the child, so that lint only warns of what is wrong with it. */
export function writtenBefore(dot: string): string {
  return dot.replace('start -> ', 'write [prompt="Write child.dot"]\nstart -> write -> ');
}
