import { counted } from '../diagnostic/counted.js';
import type { Graph } from '../graph/graph.js';
import { checkDeclaredInputs, declaredInputs, type Inputs } from '../graph/values/declared-inputs.js';
import { listedKeys } from '../graph/values/key-lists.js';
import { RunError } from '../run-directory/run-error.js';
import type { Variables } from '../secrets/find-secrets.js';

/**
 * Holds the inputs of a run against what its pipeline declares, and its environment against `env_requires` (SEMANTICS 101).
 * @param environment undefined where tools do not run, so that it does not matter
 * @throws RunError `usage` that lists everything that is wrong
 */
export function refuseInputs(graph: Graph, inputs: Inputs, environment: Variables | undefined): void {
  const problems = checkDeclaredInputs(inputs, declaredInputs(graph));
  const unset = environment === undefined ? [] : unsetVariables(graph, environment);
  const parts = [
    ...(problems.length === 0 ? [] : [`${counted(problems.length, 'input')} cannot be used`]),
    ...(unset.length === 0
      ? []
      : [`${counted(unset.length, 'environment variable')} ${unset.length === 1 ? 'is' : 'are'} not set`]),
  ];
  if (parts.length === 0) return;
  const lines = [
    ...problems.map(({ input, message }) => `  ${input}: ${message}`),
    ...unset.map((name) => `  $${name}: not set`),
  ];
  throw new RunError('usage', `${parts.join(', and ')}; nothing was started:\n${lines.join('\n')}`);
}

/** The variables that `env_requires` names and the environment lacks; an empty one counts as missing. */
export function unsetVariables(graph: Graph, environment: Variables): readonly string[] {
  return listedKeys(graph.attributes.get('env_requires'))
    .map(({ key }) => key)
    .filter((name) => (environment[name] ?? '') === '');
}
