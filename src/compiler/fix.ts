import type { Diagnostic } from '../diagnostic/diagnostic.js';
import { fixUntilStable } from '../lint/fix-until-stable.js';
import { type Compilation, type CompileOptions, compile } from './compile.js';

export interface FixedText {
  readonly text: string;
  /** Fixed findings, in the order in which they were fixed; positions refer to the text at that time. */
  readonly fixed: readonly Diagnostic[];
  /** Findings left in the text although they have a safe fix, because that fix would add an error. */
  readonly withheld: readonly Diagnostic[];
  /** Compilation of the fixed text: its diagnostics are those that remain. */
  readonly compilation: Compilation;
}

/**
 * Makes the safe fixes of everything that `compile` finds in a text, until nothing more can be fixed (SEMANTICS 98). No fix is
 * made that adds an error, and a text without anything to fix stays as it is.
 */
export function fix(text: string, options: CompileOptions = {}): FixedText {
  // All syntax errors at once, or a file without commas would take a round for every hundred of them.
  const all = { ...options, findingLimit: Number.POSITIVE_INFINITY };
  const stable = fixUntilStable(text, (candidate) => compile(candidate, all).diagnostics);
  return { ...stable, compilation: compile(stable.text, options) };
}
