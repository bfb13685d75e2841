import type { JsonValue } from '../../graph/json.js';
import type { ProgramNode } from '../../graph/program.js';
import type { Assignment } from '../../graph/values/assignments.js';
import type { Atom } from '../conditions/formula.js';
import { flatKey } from '../conditions/variable.js';

type Setting = Pick<Assignment, 'key' | 'value'>;

/**
 * Adds to the values of each key those of the keys that it is assigned to, which their conditions tell apart.
 * @param isChosen true for a key that stages set to any of its values
 * @returns true for an assignment of which that covers all that it may set
 */
export function passOn(
  nodes: readonly ProgramNode[],
  values: Map<string, JsonValue[]>,
  atoms: readonly Atom[],
  isChosen: (key: string) => boolean,
): (assignment: Setting) => boolean {
  const assignments = nodes.flatMap(({ ownRules }) => ownRules?.assignments ?? []);
  const passing =
    assignments.flatMap((assignment) => sourceOf(assignment) ?? []).length > 0 ? assignments : [];
  for (let isChanged = passing.length > 0; isChanged; ) {
    isChanged = false;
    for (const assignment of passing) {
      const source = sourceOf(assignment);
      const passed = values.get(assignment.key);
      if (source === undefined || passed === undefined || !isChosen(source)) continue;
      const known = values.get(source) ?? [];
      const more = passed.filter((value) => !known.includes(value));
      if (more.length === 0 && values.has(source)) continue;
      values.set(source, [...known, ...more]);
      isChanged = true;
    }
  }
  return (assignment) => {
    if (assignment.value.kind === 'constant') return true;
    const source = sourceOf(assignment);
    if (source === undefined || !isChosen(source) || !values.has(source)) return false;
    return [assignment.key, source].every((one) => isOfWords(one, atoms));
  };
}

/** Key of which an assignment passes on the whole value. */
function sourceOf({ value }: Setting): string | undefined {
  if (value.kind !== 'text' || !value.isWhole) return undefined;
  const [part] = value.template.parts;
  return part?.kind === 'value' ? flatKey(part.path) : undefined;
}

/** True for a key whose tests tell words apart, each from all others: two such keys need no values but these. */
function isOfWords(key: string, atoms: readonly Atom[]): boolean {
  const own = atoms.filter(({ variable }) => flatKey(variable.name) === key);
  return own.every(({ clause }) => {
    if (clause.kind !== 'comparison') return true;
    return ['=', '!=', 'in', 'not in'].includes(clause.operator) && clause.left.kind === 'key';
  });
}
