import type { Compilation } from '../../compiler/compile.js';
import { readParameter } from '../../graph/parameters.js';
import {
  checkDeclaredInputs,
  type DeclaredInputs,
  declaredInputs,
  type InputProblem,
  type Inputs,
  withDefaultInputs,
} from '../../graph/values/declared-inputs.js';
import type { ChildEnd } from '../../handlers/child-runner.js';

/** Inputs of a child, read by the types that it declares, and what does not fit. */
interface FittingInputs {
  readonly inputs: Inputs;
  readonly problems: readonly InputProblem[];
}

/** Reads the inputs that a stage gives a child by their declared types (SEMANTICS 101). */
export function fittingInputs({ graph }: Pick<Compilation, 'graph'>, given: Inputs): FittingInputs {
  const declared = declaredInputs(graph);
  if (declared === undefined) return { inputs: given, problems: [] };
  const inputs = readByType(given, declared);
  return { inputs, problems: checkDeclaredInputs(withDefaultInputs(inputs, declared), declared) };
}

function readByType(given: Inputs, declared: DeclaredInputs): Inputs {
  const entries = Object.entries(given);
  return Object.fromEntries(
    entries.map(([name, value]) => [name, readParameter(value, declared.get(name)?.type)]),
  );
}

/** End of a child that does not take its inputs; undefined if all of them fit. */
export function inputRefusal(file: string, { problems }: FittingInputs): ChildEnd | undefined {
  if (problems.length === 0) return undefined;
  const found = problems.map(({ input, message }) => `${input}: ${message}`).join('; ');
  return { kind: 'inputs_refused', reason: `the pipeline ${file} does not take these inputs: ${found}` };
}
