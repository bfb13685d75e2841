import path from 'node:path';
import type { Compilation } from '../compiler/compile.js';
import type { Manifest } from '../run-directory/manifest.js';
import type { CallEnvironment } from '../setup/extensions.js';
import { checkPolicy } from '../setup/policy/check-policy.js';
import { isInside } from '../setup/policy/child-policy.js';
import type { PolicedRun } from '../setup/policy/policed-run.js';
import { UsageError } from '../setup/usage-error.js';

/**
 * Checks the files of the run of a tenant. It works below the directory of its tenant, in that of this worker: files of others,
 * and those of the runs themselves, are elsewhere.
 * @param directory of the run
 * @throws UsageError
 */
export function checkPlace(
  directory: string,
  { working_directory: place, run_id: id, options }: Manifest,
  tenant: string,
  here: CallEnvironment,
): void {
  if (id !== path.basename(directory))
    throw new UsageError(`the run calls itself ${JSON.stringify(id)}, which is another one`);
  checkFiles({ options, working_directory: place }, tenant, here);
}

/**
 * Checks a child run that a worker has not made within these limits: that of a fork, whose submission may say anything, or one that
 * another worker has made.
 * @throws UsageError
 */
export function checkChild(child: Manifest, tenant: string, here: CallEnvironment): void {
  if (child.git !== undefined)
    throw new UsageError('a child of the run uses git, which the runs of tenants cannot');
  checkFiles(child, tenant, here);
}

function checkFiles(
  { working_directory: place, options }: Pick<Manifest, 'working_directory' | 'options'>,
  tenant: string,
  here: CallEnvironment,
): void {
  if (options.replay_of !== undefined)
    throw new UsageError('the run replays another, whose files a tenant cannot name');
  const own = path.resolve(here.cwd(), tenant);
  const isBelow = path.dirname(own) === path.resolve(here.cwd()) && path.basename(own) === tenant;
  if (isBelow && isInside(own, place)) return;
  throw new UsageError(
    `the run works in ${place}; runs of the tenant ${tenant} work in ${own} or below, unless the worker was started with --allow-tools`,
  );
}

/** @throws UsageError for the first part of the pipeline that this worker does not allow */
export function checkPipeline({ program, source }: Compilation, run: PolicedRun): void {
  // A pipeline with errors does not run anyway.
  if (program === undefined) return;
  const [first] = checkPolicy({ program, source }, run);
  if (first !== undefined) throw new UsageError(`the pipeline may not run here: ${first.message}`);
}
