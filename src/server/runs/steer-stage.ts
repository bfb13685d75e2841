import { type Environment, redactorOf } from '../../setup/keys.js';
import { sayToStage } from '../../setup/say-to-stage.js';
import { UsageError } from '../../setup/usage-error.js';
import type { SteeredStageJson, SteerRequest } from '../api/run.js';
import { ProblemError } from '../problem-error.js';
import { findDirectory } from './look-at-runs.js';
import { withProblems } from './problem-of.js';
import type { RunParts } from './run-parts.js';

/**
 * Says something to the model of a running stage, whatever process executes the run.
 * @throws ProblemError `conflict` with the reason if it takes no words
 */
export async function steerStage(
  parts: RunParts,
  id: string,
  words: SteerRequest,
): Promise<SteeredStageJson> {
  return sayInDirectory(findDirectory(parts, id), words, parts.environment.keyring);
}

/** The same for the run in a directory. */
export function sayInDirectory(
  directory: string,
  words: SteerRequest,
  keyring: Environment,
): Promise<SteeredStageJson> {
  // They lie in the run directory until they are taken.
  const said = redactorOf(keyring).json(words);
  return withProblems(async () => {
    try {
      return { steering_id: await sayToStage(directory, said) };
    } catch (error) {
      if (error instanceof UsageError) throw new ProblemError('conflict', error.message, { cause: error });
      throw error;
    }
  });
}
