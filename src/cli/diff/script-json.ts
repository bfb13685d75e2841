import type { SimulationScript } from '../../run-directory/simulation-script.js';

/** A script as `run --simulate --script` reads it. */
export function scriptJson({ inputs, nodes, answers }: SimulationScript): object {
  const written = { inputs, nodes: Object.fromEntries(nodes) };
  return answers.size === 0 ? written : { ...written, answers: Object.fromEntries(answers) };
}
