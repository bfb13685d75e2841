import type { Program } from '../../graph/program.js';
import type { Inputs } from '../../graph/values/declared-inputs.js';
import type { CompiledText } from '../playground/use-compilation.js';
import type { SimulationHistory } from './history.js';

/** A pipeline that is being stepped through, as its text was then. */
export interface SimulatorSession {
  readonly compiled: CompiledText;
  readonly program: Program;
  readonly inputs: Inputs;
  readonly history: SimulationHistory;
}
