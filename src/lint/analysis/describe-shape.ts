import { textOfValue } from '../../graph/look-up.js';
import { describeType } from '../../parser/key-list/value-type.js';
import { listNames } from '../list-names.js';
import type { Shape } from './value-shape.js';

const mostWords = 6;

/** Values in words, for a message: `an integer`, `one of "pass", "fail"`, `always "ready"`. */
export function describeShape(shape: Shape): string {
  const alternatives = [...shape.values()];
  const constants = alternatives.flatMap((one) => (one.kind === 'constant' ? [textOfValue(one.value)] : []));
  const types = alternatives.flatMap((one) => (one.kind === 'type' ? [describeType(one.type)] : []));
  const [only, second] = constants;
  const words =
    only === undefined
      ? []
      : [
          second === undefined && types.length === 0
            ? `always ${listNames([only])}`
            : second === undefined
              ? listNames([only])
              : `one of ${listNames(constants, mostWords)}`,
        ];
  return [...types, ...words].join(' or ');
}
