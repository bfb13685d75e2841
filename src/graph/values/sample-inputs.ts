import type { Graph } from '../graph.js';
import { declaredInputs, type Inputs } from './declared-inputs.js';
import { simulatedWrites } from './written-values.js';

/** Values of their types for the inputs that a pipeline requires, so that any script of it plays; one with a default needs none. */
export function sampleInputs(graph: Graph): Inputs {
  const required = [...(declaredInputs(graph)?.values() ?? [])].filter(
    ({ isOptional, default: literal }) => !isOptional && literal === undefined,
  );
  const values = simulatedWrites(required, () => false);
  return Object.fromEntries([...values].map(([key, value]) => [key, value === '' ? `some ${key}` : value]));
}

/** The inputs of a script that plays a run; undefined if it needs none. @param known values on which the run depends */
export function scriptInputs(graph: Graph, known: Inputs = {}): Inputs | undefined {
  const inputs = { ...sampleInputs(graph), ...known };
  return Object.keys(inputs).length === 0 ? undefined : inputs;
}
