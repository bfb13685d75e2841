import type { Program } from '../../graph/program.js';
import type { RunState } from './state.js';

/** Why a stage may spend nothing more (SEMANTICS §12), for people; undefined as long as it may. */
export function spentBudget(_program: Program, _state: RunState, _cursorId: string): string | undefined {
  return undefined;
}
