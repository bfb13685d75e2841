import { existsSync, readFileSync, rmSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { fork } from '../../run/recording/fork.js';
import { writeFileAtomically } from '../../run-directory/durable-file.js';
import { type Manifest, readManifest } from '../../run-directory/manifest.js';
import { holdsRun, runFiles } from '../../run-directory/run-files.js';
import { compileOptionsOf } from '../../setup/extensions.js';
import type { AcceptedRun, ForkRequest } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import { withProblems } from './problem-of.js';
import { extensionsOf } from './ready-resumption.js';
import { type RunParts, statusOf } from './run-parts.js';
import { workPlace } from './server-files.js';
import { resumeServedRun } from './start-runs.js';

/** Makes a run that shares the beginning of another one, and continues with it where that is wanted (§9.5). @throws ProblemError */
export async function forkRun(parts: RunParts, id: string, request: ForkRequest): Promise<AcceptedRun> {
  const { index, environment } = parts;
  parts.executor.checkOpen();
  const directory = index.directoryOf(id);
  if (!holdsRun(directory)) throw new ProblemError('conflict', 'the run cannot be forked: it never started');
  const made = await withProblems(async () => {
    const manifest = readManifest(directory);
    const extensions = await extensionsOf(directory, manifest, environment);
    const { at, step } = request;
    const forked = await fork(directory, {
      ...compileOptionsOf(extensions),
      at,
      step,
      onNotice: (message) => environment.log.write('warning', message, { run: id }),
    });
    if (forked.status === 'invalid')
      throw new ProblemError('conflict', 'the run cannot be forked: its pipeline can no longer be read');
    return { manifest, place: forked.run_dir };
  });
  const newId = path.basename(made.place);
  try {
    await withProblems(() => takeWorkPlace(directory, made.manifest, made.place));
    index.forget(newId);
    if (request.resume) return await resumeServedRun(parts, newId, {});
    return { id: newId, status: statusOf(parts, newId) };
  } catch (error) {
    // Nobody has its id yet.
    if (parts.executor.own(newId) === undefined) rmSync(made.place, { recursive: true, force: true });
    index.forget(newId);
    throw error;
  }
}

/** Gives the new run a copy of the submitted pipeline's working directory, which belongs to one run. */
async function takeWorkPlace(
  directory: string,
  { working_directory }: Manifest,
  made: string,
): Promise<void> {
  const before = workPlace(path.resolve(directory));
  if (path.resolve(working_directory) !== before) return;
  const after = workPlace(made);
  if (existsSync(before)) await cp(before, after, { recursive: true, verbatimSymlinks: true });
  const file = path.join(made, runFiles.manifest);
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileAtomically(file, `${JSON.stringify({ ...manifest, working_directory: after }, null, 2)}\n`);
}
