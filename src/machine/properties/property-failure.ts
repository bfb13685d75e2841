import { broken, type Monitor } from '../../graph/properties/monitor.js';
import type { Observation } from '../../graph/properties/observation.js';
import { fail } from '../end.js';
import { lastOf } from '../persistent.js';
import type { Cursor, RunState } from '../state.js';
import type { Transition } from '../transition.js';
import { stateAfter } from './monitors.js';

/** Fails the run if it would break a property by its next step. @returns true if it has failed */
export function failsToBreak(transition: Transition, cursor: Cursor, next: Observation): boolean {
  const { monitors } = transition.program;
  if (monitors.length === 0) return false;
  const { state } = transition;
  const at = monitors.find((monitor, index) => stateAfter(monitor, state.monitors[index], next) === broken);
  if (at === undefined) return false;
  const who = next.kind === 'completes' ? 'the end of the run' : `"${cursor.nodeId}"`;
  return failBy(transition, cursor, `${who} would break the property ${described(at)}`);
}

/** Fails the run if the outcome of its latest stage has broken a property. @returns true if it has failed */
export function failsByBroken(transition: Transition, cursor: Cursor): boolean {
  const { monitors } = transition.program;
  if (monitors.length === 0) return false;
  const at = monitors.find((_, index) => transition.state.monitors[index] === broken);
  if (at === undefined) return false;
  return failBy(transition, cursor, `the outcome of "${cursor.nodeId}" breaks the property ${described(at)}`);
}

function failBy(transition: Transition, { id, nodeId }: Cursor, what: string): true {
  fail(transition, 'property', `${what}${pathOf(transition.state)}`, nodeId, {
    branch: id,
  });
  return true;
}

function described({ name, text, origin }: Monitor): string {
  const from = origin === 'pipeline' ? '' : ` of the ${origin}`;
  return `"${name}"${from}: ${text}`;
}

const longestPathShown = 12;

/** Latest visits of the run, all branches together. */
function pathOf({ path }: RunState): string {
  const [earlier, ...shown] = lastOf(path, longestPathShown + 1);
  if (earlier === undefined) return '';
  return ` (path: ${[shown.length === longestPathShown ? '…' : earlier, ...shown].join(' -> ')})`;
}
