import { declaredInputs } from '../../../graph/values/declared-inputs.js';
import { keyReadTest } from '../../analysis/key-read-test.js';
import { spanInside } from '../../findings-inside.js';
import type { LintRule } from '../../rule.js';

/** SEMANTICS 101: an input is declared to be read. */
export const inputUnused: LintRule = {
  name: 'input_unused',
  severity: 'info',
  summary: 'Every declared input is read.',
  rationale:
    'An input that no condition, template, `reads` or command uses has no visible effect: it is left over, or its name is misspelt where it is read. `${inputs.name}` reads it, and so does `$ATTRACTOR_CTX_NAME` in a command. If a script that a command starts reads that variable, suppress the finding.',
  provesAbsence: true,
  tag: 'unnecessary',
  *apply(graph, { source }) {
    const attribute = graph.attributes.get('inputs');
    const declared = declaredInputs(graph);
    if (attribute === undefined || declared === undefined) return;
    const isRead = keyReadTest(graph);
    for (const { key, keySpan } of declared.values()) {
      if (isRead(`inputs.${key}`, false) || isRead(key, false)) continue;
      yield {
        message: `nothing reads the input \`${key}\``,
        span: spanInside(attribute, keySpan, source),
        fix: { title: `use \`\${inputs.${key}}\`, or remove the input`, edits: [] },
      };
    }
  },
};
