import { lower } from '../../graph/lower.js';
import {
  checkDeclaredInputs,
  type DeclaredInputs,
  declaredInputs,
  type Inputs,
  readInputTexts,
} from '../../graph/values/declared-inputs.js';
import { parseDot } from '../../parser/dot/parse.js';
import { readAssignments } from '../simulator/read-assignments.js';

// Loaded with the dialog: the parser is large, and the page works without it.

/** Texts of the fields for inputs. */
export interface InputTexts {
  /** Texts by declared input; empty ones change nothing. */
  readonly declared: ReadonlyMap<string, string>;
  /** `key=value` lines, for a pipeline that declares none. */
  readonly lines: string;
}

/** Inputs that the pipeline of a run declares; undefined if it takes any. */
export function inputsDeclaredIn(dot: string): DeclaredInputs | undefined {
  return declaredInputs(lower(parseDot(dot).document).graph);
}

/** Inputs that are changed when a run is resumed, or what is wrong with them (SEMANTICS 101). */
export function readChangedInputs(
  { declared: texts, lines }: InputTexts,
  declared: DeclaredInputs | undefined,
): Inputs | string {
  if (declared === undefined) {
    const inputs = readAssignments(lines);
    return typeof inputs === 'string' ? `Inputs: ${inputs}.` : Object.fromEntries(inputs);
  }
  const given = [...texts].filter(([, text]) => text !== '');
  const inputs = readInputTexts(given, declared);
  // The others have passed when the run began.
  const changed = new Map([...declared].filter(([key]) => Object.hasOwn(inputs, key)));
  const [first] = checkDeclaredInputs(inputs, changed);
  return first === undefined ? inputs : `${first.input}: ${first.message}.`;
}
