import { didYouMean } from '../../../diagnostic/did-you-mean.js';
import { excerpt } from '../../../diagnostic/excerpt.js';
import { type DeclaredInputs, declaredInputs } from '../../../graph/values/declared-inputs.js';
import { type ContextRead, contextReads } from '../../analysis/context-reads.js';
import { spanInside } from '../../findings-inside.js';
import type { Finding, LintRule } from '../../rule.js';

/** SEMANTICS 101: a pipeline that declares its inputs has no others. */
export const inputUndeclared: LintRule = {
  name: 'input_undeclared',
  severity: 'error',
  summary: 'Every input that is read is declared.',
  rationale:
    'A pipeline whose graph has `inputs` takes these inputs and no others: a run with another one is refused. So `${inputs.name}`, or a condition on `inputs.name`, that names none of them is a misspelt name or an input that is missing from the list, and would read nothing in every run.',
  *apply(graph, { source }) {
    const declared = declaredInputs(graph);
    if (declared === undefined) return;
    for (const read of contextReads(graph)) {
      const name = inputName(read.key);
      if (name === undefined || declared.has(name)) continue;
      yield { ...finding(read, name, declared), span: spanInside(read.attribute, read.span, source) };
    }
  },
};

/** `files` of `inputs.files.0`; undefined for other keys. */
function inputName(key: string): string | undefined {
  const [namespace, name] = key.split('.');
  return namespace === 'inputs' ? name : undefined;
}

function finding({ node, edge }: ContextRead, name: string, declared: DeclaredInputs): Omit<Finding, 'span'> {
  const names = [...declared.keys()];
  const meant = didYouMean(name, names);
  const others = names.length === 0 ? 'none' : names.join(', ');
  return {
    message: `${excerpt(name)} is not an input of this pipeline${meant === '' ? `; it declares ${others}` : meant}`,
    nodeId: edge === undefined ? node.id : undefined,
    edge,
    fix: { title: 'declare it in the `inputs` of the graph, or name one that is declared', edits: [] },
  };
}
