import { foreignAttributes } from '../../../importers/dot/foreign-attributes.js';
import type { LintRule } from '../../rule.js';

/** Fewer attributes of a dialect may be slips, or data of the author. */
const fewest = 3;

/** SEMANTICS 43f: a pipeline of another tool, in one sentence. */
export const foreignDialect: LintRule = {
  name: 'foreign_dialect',
  severity: 'warning',
  summary: 'The pipeline is written in this language, not in the dialect of another tool.',
  rationale:
    'Tools such as fabro, kilroy, amplifier and tracker have other names for many attributes, which have no effect here. `attractor migrate` rewrites such a pipeline and names what is lost. `attractor lint` then leaves out its findings of `attribute_known`; `--verbose` shows them.',
  tag: 'deprecated',
  *apply(graph, { source }) {
    const foreign = foreignAttributes(graph, source.text);
    if (foreign === undefined) return;
    const { title, unknown, known, rewritten } = foreign;
    if (known < fewest || known * 2 < unknown || rewritten === 0) return;
    yield {
      message: `this looks like a ${title} pipeline: \`attractor migrate\` rewrites ${rewritten} of its ${unknown} unknown attributes`,
      span: graph.nameSpan,
      fix: { title: 'run `attractor migrate`', edits: [] },
    };
  },
};
