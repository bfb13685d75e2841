import { didYouMean } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { type DeclaredInputs, declaredInputs } from '../../../graph/values/declared-inputs.js';
import type { KeyEntry, ValueType } from '../../../parser/key-list/ast.js';
import { describeType } from '../../../parser/key-list/value-type.js';
import { type ContextRead, contextReads, graphReads } from '../../analysis/context-reads.js';
import { spanInside } from '../../findings-inside.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 101: a pipeline that declares its inputs has no others. */
export const inputUndeclared: LintRule = {
  name: 'input_undeclared',
  severity: 'error',
  summary: 'Every input that is read is declared.',
  rationale:
    'A pipeline whose graph has `inputs` takes these inputs and no others: a run with another one is refused. So if `${inputs.name}`, or a condition on `inputs.name`, names none of them, the name is misspelt or missing from the list, and its value is empty in every run. The same holds for a path into an input whose type has no members, such as `${inputs.limit.max}` of an integer.',
  *apply(graph, { source }) {
    const declared = declaredInputs(graph);
    if (declared === undefined) return;
    for (const read of [...contextReads(graph), ...graphReads(graph)]) {
      const [namespace, name, ...members] = read.key.split('.');
      if (namespace !== 'inputs' || name === undefined) continue;
      const entry = declared.get(name);
      const problem =
        entry === undefined
          ? undeclared(name, declared)
          : members.length > 0 && entry.type !== undefined && !typesWithMembers.has(entry.type.kind)
            ? withoutMembers(read, entry, entry.type)
            : undefined;
      if (problem !== undefined)
        yield { ...problem, ...placeOf(read), span: spanInside(read.attribute, read.span, source) };
    }
  },
};

type Problem = Omit<Finding, 'span'>;

/** Types whose values may have members. */
const typesWithMembers: ReadonlySet<ValueType['kind']> = new Set(['list', 'map', 'any']);

function placeOf({ node, edge }: Partial<ContextRead>): Pick<Finding, 'nodeId' | 'edge'> {
  return { nodeId: edge === undefined ? node?.id : undefined, edge };
}

function withoutMembers({ path }: Pick<ContextRead, 'path'>, { key }: KeyEntry, type: ValueType): Problem {
  return {
    message: `${excerpt(path)} is always empty: the input ${excerpt(key)} is declared as ${describeType(type)}, which has no members`,
    fix: { title: `read \`inputs.${key}\`, or declare it as \`map\` or \`list\``, edits: [] },
  };
}

function undeclared(name: string, declared: DeclaredInputs): Problem {
  const names = [...declared.keys()];
  const hint = didYouMean(name, names);
  const others = names.length === 0 ? 'none' : names.join(', ');
  return {
    message: `${excerpt(name)} is not an input of this pipeline${hint === '' ? `; it declares ${others}` : hint}`,
    fix: { title: 'declare it in the `inputs` of the graph, or use a declared one', edits: [] },
  };
}
