import type { JsonValue } from '../graph/json.js';
import type { Program } from '../graph/program.js';
import type { Inputs } from '../graph/values/declared-inputs.js';
import { type ListInput, listInputs, triedLists } from '../lint/flow/list-inputs.js';

/** Most ways to give inputs with which a search begins. */
const mostBeginnings = 27;

/** Inputs with which a search begins: each number of items in the lists whose items become branches. */
export function listBeginnings({ graph, nodes }: Program): readonly Inputs[] {
  const lists = listInputs(graph, nodes.values());
  let beginnings: Inputs[] = [{}];
  for (const list of lists) {
    const values = valuesOf(list);
    const isTooMuch = beginnings.length * values.length > mostBeginnings;
    const own = isTooMuch ? values.slice(-1) : values;
    beginnings = own.flatMap((value) =>
      beginnings.map((before) => (value === undefined ? before : { ...before, [list.name]: value })),
    );
  }
  return beginnings;
}

/** Values of such an input. The first one is that of a run which is not given it. */
function valuesOf({ byDefault, isRequired }: ListInput): readonly (JsonValue | undefined)[] {
  const lists = triedLists.map((items) => [...items]);
  return isRequired ? lists : [byDefault, ...lists];
}
