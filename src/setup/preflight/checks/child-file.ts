import { type CheckFinding, type PreflightCheck, type PreflightRun, stagesOf } from '../preflight-check.js';

/**
 * SEMANTICS 113: the pipelines that stages run exist and can be read, where lint does not look at them: in
 * a run that continues, whose pipeline is the copy in its directory.
 */
export const childFile: PreflightCheck = {
  id: 'child_file',
  summary: 'The file of a child pipeline is missing or cannot be read, when a run is resumed.',
  isAboutRealWork: false,
  isAboutMachine: false,
  *find(run) {
    if (run.areFilesLinted) return;
    for (const { id, child } of stagesOf(run)) {
      if (child === undefined || typeof child.text === 'string') continue;
      yield { ...foundOf(child.written, child.text, run), stages: [id] };
    }
  },
};

function foundOf(written: string, problem: Error | undefined, run: PreflightRun): CheckFinding {
  const what = `the pipeline "${written}"`;
  const help = 'restore the file; its path is relative to the pipeline';
  if (problem !== undefined)
    return { severity: 'error', message: `${what} cannot be read: ${problem.message}`, help };
  // A stage that is still to come may write it.
  const isWritten = stagesOf(run).some(({ handler }) => !handler.harmless && !handler.runsChild);
  return isWritten
    ? { severity: 'warning', message: `${what} does not exist: a stage before has to write it`, help }
    : { severity: 'error', message: `${what} does not exist`, help };
}
